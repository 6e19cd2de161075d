// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel device_rows agree on.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// The smallest positions where rows break a rule; all ones where none does, and before.
struct device_rows_faults {
  u64 fall;    ///< a vertex whose row ends before it begins
  u64 target;  ///< an edge to what is no vertex
  u64 weight;  ///< an edge of a weight that cannot be
  u64 widest;  ///< of the largest degree: its complement in the high half, the vertex in the low one
};

/// Exactly one of `targets` and `pairs` is not null.
struct device_rows_arguments {
  const void* offsets;  ///< vertices + 1 row starts, u64 where wide_offsets, else u32
  const u32* targets;
  const u32* weights;   ///< one per target; null: all are 1
  const u64* pairs;     ///< words as weighted_edges
  u32* narrow_offsets;  ///< to be written, like the next two, unless null
  u64* words;           ///< as weighted_edges
  u32* plain_targets;
  device_rows_faults* faults;  ///< null: nothing is checked
  u64* weight_sums;            ///< null, or one for each warp of the grid: of whole weights, or the bits of a double
  u64 vertices;
  u64 edges;
  u32 wide_offsets;
  u32 float_weights;
};

}  // namespace mlmq
