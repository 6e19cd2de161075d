// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel reverse_rows.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

struct reverse_rows_arguments {
  const void* offsets;  ///< vertices + 1 row starts, u64 where wide_offsets, else u32
  const void* edges;    ///< words as in edges.cuh or distance_width.cuh
  /// One word per vertex, as wide as the row starts. Without `reversed_edges`, 0 at first, then the number of incoming
  /// edges; with it, the begin of the vertex's row of `reversed_edges`, then its end.
  void* places;
  /// Words like `edges`, row by row, with the vertices that edges come from as targets; unordered within a row.
  void* reversed_edges;
  u64 edge_count;
  u32 vertices;
  u32 wide_offsets;
  u32 edge_bytes;  ///< of a word of edges: 4, 8 or 16
};

}  // namespace mlmq
