// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel near_rows.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Number of limits by which rows are ordered.
inline constexpr u32 near_limits = 4;

struct near_rows_arguments {
  const void* offsets;      ///< vertices + 1 row starts, u64 where wide_offsets, else u32
  const void* edges;        ///< words as in edges.cuh or distance_width.cuh
  void* near_edges;         ///< output: the same rows, each ordered by the number of limits that a weight reaches
  u32* near_counts;         ///< output: near_limits per vertex, the number of its edges shorter than each limit
  u64 limits[near_limits];  ///< ascending
  u32 vertices;
  u32 wide_offsets;
  u32 edge_bytes;  ///< of a word of edges: 4, 8 or 16
};

}  // namespace mlmq
