// SPDX-License-Identifier: Apache-2.0
// Builds a tree of shortest paths from shortest distances.
#pragma once

#include <span>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Marks the source and unreachable vertices, which have no predecessor.
inline constexpr vertex_id no_predecessor = 0xFFFFFFFFu;

/// Returns a predecessor for each vertex v except the source that has a distance: a vertex u with an edge to v such
/// that extend(distance[u], weight) == distance[v]. Following predecessors leads to the source.
///
/// Where such an edge increases the distance (distance[u] < distance[v]), any choice is free of cycles; the smallest u
/// is chosen, in one pass over all edges that the threads share evenly, whatever the degrees. The remaining vertices
/// are reached only over edges that add nothing: zero weights, floats too small to matter, saturated integers. One
/// thread assigns their predecessors in O(n + m), only from vertices that already have one, and only if such vertices
/// exist. Both parts are deterministic.
/// @param unit_weights  every edge has length 1, and distances are integers
/// @param distances  shortest distances, one per vertex
/// @param threads  0: one per processor; fewer are used for small graphs
[[nodiscard]] std::vector<vertex_id> predecessors(const csr_graph& graph, bool unit_weights, vertex_id source,
                                                  std::span<const distance_bits> distances, unsigned threads);
/// Overload for graphs with float64 weights.
[[nodiscard]] std::vector<vertex_id> predecessors(const csr_graph& graph, vertex_id source,
                                                  std::span<const wide_distance_bits> distances, unsigned threads);

}  // namespace mlmq::graph
