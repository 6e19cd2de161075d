// SPDX-License-Identifier: Apache-2.0
// From shortest distances to a tree of shortest paths.
#pragma once

#include <span>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// No vertex comes before the source, nor before one that no path leads to.
inline constexpr vertex_id no_predecessor = 0xFFFFFFFFu;

/// For each vertex v but the source that has a distance, a vertex u with an edge to v such that
/// extend(distance[u], weight) == distance[v]; following these leads to the source.
///
/// Where such an edge makes the distance larger (distance[u] < distance[v]), taking any of them cannot close a circle:
/// the smallest u is taken, in one pass over all edges that the threads share evenly, whatever the degrees. What is left
/// are vertices that only edges lead to which add nothing: zero weights, floats too small to count, integers at their
/// largest. There a vertex is given its predecessor only by one that has its own already; one thread, O(n + m), only
/// when there are such vertices. Both parts are deterministic.
/// @param unit_weights every edge has length 1, and distances are integers
/// @param distances the shortest ones, one for each vertex
/// @param threads 0: one for each processor; fewer when the graph is too small for them
[[nodiscard]] std::vector<vertex_id> predecessors(const csr_graph& graph, bool unit_weights, vertex_id source,
                                                  std::span<const distance_bits> distances, unsigned threads);
/// The same of a graph with weights of float64, by them.
[[nodiscard]] std::vector<vertex_id> predecessors(const csr_graph& graph, vertex_id source,
                                                  std::span<const wide_distance_bits> distances, unsigned threads);

}  // namespace mlmq::graph
