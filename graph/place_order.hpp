// SPDX-License-Identifier: Apache-2.0
// Another numbering of a graph's vertices, by which neighbours are near each other in memory.
#pragma once

#include <span>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// All vertices, each once, in such an order that vertices which few edges part have numbers that differ little, at
/// every scale: pairs of neighbours, then pairs of pairs, and so on (matchings of ever coarser graphs, as in multilevel
/// partitioning; Karypis and Kumar 1998). Along directed edges. Depends on the edges alone, not on the weights; about
/// 0.2 µs for each vertex of a road network.
[[nodiscard]] std::vector<vertex_id> place_order(const csr_graph& graph);

/// The same graph with vertex `order[i]` as vertex i, and i as its id too. Edges of a row keep their order.
/// @param order all vertices, each once
/// @throws input_error when it is not that
[[nodiscard]] csr_graph renumbered(const csr_graph& graph, std::span<const vertex_id> order);

/// Where each vertex is in an order: ranks_of(order)[order[i]] is i.
/// @throws input_error as renumbered()
[[nodiscard]] std::vector<vertex_id> ranks_of(std::span<const vertex_id> order);

}  // namespace mlmq::graph
