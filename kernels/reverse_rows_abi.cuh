// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel reverse_rows.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

struct reverse_rows_arguments {
  const void* offsets;  ///< vertices + 1 row starts, u64 where wide_offsets, else u32
  const u32* edges;     ///< targets
  /// One word per vertex, as wide as the row starts. Without `sources`, 0 at first, then the number of incoming edges;
  /// with it, the begin of the vertex's row of `sources`, then its end.
  void* places;
  u32* sources;  ///< vertices that edges come from, row by row; unordered within a row
  u64 edge_count;
  u32 vertices;
  u32 wide_offsets;
};

}  // namespace mlmq
