// SPDX-License-Identifier: Apache-2.0
// Renumbers a graph's vertices so that neighbours are near each other in memory.
#pragma once

#include <span>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns all vertices, each once, in an order in which vertices that are few edges apart have similar numbers at
/// every scale: pairs of neighbours, then pairs of pairs, and so on (matchings of ever coarser graphs, as in multilevel
/// partitioning; Karypis and Kumar 1998). Follows directed edges. Depends on the edges alone, not on the weights. Takes
/// about 0.2 µs per vertex of a road network.
[[nodiscard]] std::vector<vertex_id> place_order(const csr_graph& graph);

/// Returns the same graph in which vertex `order[i]` has become vertex i, with i as its id. Edges of a row keep their
/// order.
/// @param order all vertices, each once
/// @throws input_error if `order` is not a permutation of the vertices
[[nodiscard]] csr_graph renumbered(const csr_graph& graph, std::span<const vertex_id> order);

/// Returns the position of each vertex in an order: ranks_of(order)[order[i]] is i.
/// @throws input_error like renumbered()
[[nodiscard]] std::vector<vertex_id> ranks_of(std::span<const vertex_id> order);

}  // namespace mlmq::graph
