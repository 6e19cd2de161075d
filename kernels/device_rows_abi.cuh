// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel device_rows.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// The smallest positions at which rows break a rule; all ones if none does, and at the start.
struct device_rows_faults {
  u64 decreasing_row;  ///< a vertex whose row ends before it begins
  u64 target;          ///< an edge whose target is not a vertex
  u64 weight;          ///< an edge with an invalid weight
  u64 widest;          ///< the largest degree: its complement in the high half, the vertex in the low half
};

/// Exactly one of `targets` and `pairs` is not null.
struct device_rows_arguments {
  const void* offsets;  ///< vertices + 1 row starts, u64 where wide_offsets, else u32
  const u32* targets;
  const u32* weights;   ///< one per target; null: all are 1
  const u64* pairs;     ///< words like weighted_edges
  u32* narrow_offsets;  ///< output, like the next two, unless null
  u64* words;           ///< words like weighted_edges
  u32* plain_targets;
  device_rows_faults* faults;  ///< null: no checks
  u64* weight_sums;            ///< null, or one per warp of the grid: sums of integer weights, or the bits of a double
  u64 vertices;
  u64 edges;
  u32 wide_offsets;
  u32 float_weights;
};

}  // namespace mlmq
