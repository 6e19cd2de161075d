// SPDX-License-Identifier: Apache-2.0
// Storage of edges: one word per edge, so that reading an edge takes one load.
//
// Rows are stored one after the other, delimited by their bounds. A graph may also have ELL rows: ell_width words at a
// fixed position for each vertex, of which unused ones have the target `no_edge`. If a row has more edges, the target
// of its last word is `continuation` combined with the number of an overflow row; overflow rows follow the rows of the
// vertices. A row of many more edges has `long_row` as its first target.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// Target in the low half, weight in the high half.
struct weighted_edges {
  using word = u64;
  SIMT_DEVICE static u32 target(word edge) { return static_cast<u32>(edge); }
  SIMT_DEVICE static u32 weight(word edge) { return static_cast<u32>(edge >> 32); }
};

/// Every weight is 1: breadth-first search.
struct unit_edges {
  using word = u32;
  SIMT_DEVICE static u32 target(word edge) { return edge; }
  /// Returns 1, or 0 for a slot that names an overflow row.
  SIMT_DEVICE static u32 weight(word edge) { return 1 - (edge >> 31); }
};

}  // namespace mlmq
