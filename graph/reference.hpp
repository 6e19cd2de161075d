// SPDX-License-Identifier: Apache-2.0
// A shortest-path search that is slow and right.
#pragma once

#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Distances from `source` to all vertices by Boost's Dijkstra with extend() as addition: bit for
/// bit what every correct search finds, because extend() is monotone in the distance and never
/// shortens it. One entry per vertex, `unreached` where no path leads.
/// @throws input_error when source is not a vertex
/// @throws std::logic_error when the weights are float64
[[nodiscard]] std::vector<distance_bits> dijkstra(const csr_graph& graph, vertex_id source);

/// The same of a graph with weights of float64. @throws std::logic_error when they are not
[[nodiscard]] std::vector<wide_distance_bits> wide_dijkstra(const csr_graph& graph, vertex_id source);

}  // namespace mlmq::graph
