// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel ell_rows.
#pragma once

#include "search_abi.cuh"

namespace mlmq {

/// A row with more than this many times the width in edges is a long row. Each overflow row costs one round trip to
/// memory, bounds cost two.
inline constexpr u32 max_ell_rows = 4;

struct ell_rows_arguments {
  const void* offsets;  ///< vertices + 1 row starts, u64 where wide_offsets, else u32
  const void* edges;    ///< words like weighted_edges, or unit_edges for unit weights
  /// The ELL rows; null: only `overflow` is written.
  void* rows;
  u32* overflow;  ///< for each 32 vertices, the number of their overflow rows or, with `rows`, the index of the first
                  ///< one
  u32 vertices;
  u32 width;  ///< words of a row, at least 2
  u32 wide_offsets;
  u32 unit_weights;
};

}  // namespace mlmq
