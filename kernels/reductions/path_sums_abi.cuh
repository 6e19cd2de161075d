// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel that sums a quantity of the edges along shortest paths (path_sums.cu).
#pragma once

#include "multi_source/multi_source_abi.cuh"
#include "reductions/reductions_abi.cuh"

namespace mlmq {

/// An edge into a vertex, which a kernel loads in one access.
struct alignas(16) incoming_edge {
  u64 source_and_quantity;  ///< the source in the lower half
  u64 weight;               ///< of 4 or 8 bytes
};

/// Stands for the sum of a path that cannot be followed back over edges that each add to the distance.
inline constexpr u64 unresolved_path = no_result - 1;

/// Pairs are ordered like in pair_arguments.
struct path_sum_arguments {
  distance_batch batch;
  const u32* sources;          ///< source of each search
  const u32* first_pair;       ///< of each search, and the number of pairs
  const u32* vertices;         ///< one per pair
  const u64* first_edge;       ///< of each vertex, and the number of edges
  const incoming_edge* edges;  ///< those of a vertex in ascending order of their sources, then of their quantities
  multi_source_control* control;
  u64* results;  ///< a sum per pair; no_result if not reached, or unresolved_path
  u32 pieces;    ///< tasks per column
};

}  // namespace mlmq
