// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernels that sum a quantity of the edges along shortest paths (path_sums.cu,
// place_edges.cu).
#pragma once

#include "multi_source/multi_source_abi.cuh"
#include "reductions/reductions_abi.cuh"

namespace mlmq {

/// An edge into a vertex, which a kernel loads in one access.
struct alignas(16) incoming_edge {
  u64 source_and_quantity;  ///< the source (a vertex, or its row in the distances) in the lower half
  u64 weight;               ///< of 4 or 8 bytes
};

/// The edges into a vertex, ordered by source vertex, then by quantity: `first` to `last` - 1. Loaded in one access.
struct alignas(16) edge_range {
  u64 first;
  u64 last;
};

/// Replaces vertices by rows.
struct edge_place_arguments {
  const u32* vertex_rows;           ///< row of each vertex
  const edge_range* vertex_ranges;  ///< of each vertex
  const incoming_edge* vertex_edges;
  edge_range* row_ranges;    ///< receives the range of the vertex of each row
  incoming_edge* row_edges;  ///< receives the edges, in the same order
  u32 vertices;
};

/// Stands for the sum of a path that cannot be followed back over edges that each add to the distance.
inline constexpr u64 unresolved_path = no_result - 1;

/// Pairs are ordered like in pair_arguments.
struct path_sum_arguments {
  distance_batch batch;
  const u32* sources;          ///< source of each search
  const u32* first_pair;       ///< of each search, and the number of pairs
  const u32* vertices;         ///< one per pair
  const edge_range* ranges;    ///< edges into the vertex of each row
  const incoming_edge* edges;  ///< their sources are rows
  multi_source_control* control;
  u64* results;  ///< a sum per pair; no_result if not reached, or unresolved_path
  u32 pieces;    ///< tasks per column
};

}  // namespace mlmq
