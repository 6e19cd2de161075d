// SPDX-License-Identifier: Apache-2.0
// A slow reference implementation of shortest-path search.
#pragma once

#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns the distances from `source` to all vertices, computed by Boost's Dijkstra with extend() as addition. Every
/// correct search returns the same bits, because extend() is monotone in the distance and never shortens it. One entry
/// per vertex; `unreached` if no path leads to it.
/// @throws input_error if source is not a vertex
/// @throws std::logic_error if the weights are float64
[[nodiscard]] std::vector<distance_bits> dijkstra(const csr_graph& graph, vertex_id source);

/// Overload of dijkstra() for float64 weights. @throws std::logic_error if the weights have another type
[[nodiscard]] std::vector<wide_distance_bits> wide_dijkstra(const csr_graph& graph, vertex_id source);

}  // namespace mlmq::graph
