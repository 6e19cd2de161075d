// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel reverse_rows agree on.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

struct reverse_rows_arguments {
  const void* offsets;  ///< vertices + 1 row starts, u64 where wide_offsets, else u32
  const u32* edges;     ///< targets
  /// For each vertex, as wide as the row starts. Without `sources`, 0 before and then how many edges lead to it; with, where
  /// its row of `sources` begins, and then where it ends.
  void* places;
  u32* sources;  ///< vertices that edges come from, row by row; in no order in a row
  u64 edge_count;
  u32 vertices;
  u32 wide_offsets;
};

}  // namespace mlmq
