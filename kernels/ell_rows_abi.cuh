// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel ell_rows agree on.
#pragma once

#include "search_abi.cuh"

namespace mlmq {

/// A row with more than this many times the width in edges is a long row. Each overflow row costs one round trip to
/// memory, bounds cost two.
inline constexpr u32 most_ell_rows = 4;

struct ell_rows_arguments {
  const void* offsets;  ///< vertices + 1 row starts, u64 where wide_offsets, else u32
  const void* edges;    ///< words as weighted_edges, or as unit_edges where these are units
  /// The ELL rows; null: only `overflow` is written.
  void* rows;
  u32* overflow;  ///< for each 32 vertices: how many overflow rows they have; or, with `rows`, the number of the first
  u32 vertices;
  u32 width;  ///< words of a row, at least 2
  u32 wide_offsets;
  u32 unit_weights;
};

}  // namespace mlmq
