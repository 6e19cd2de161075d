// SPDX-License-Identifier: Apache-2.0
// The right scores of a query, found on processors in another way than the solvers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::centrality {

/// Sums over the sources, one for each vertex: Dijkstra's algorithm, and Brandes' sums with vertices ordered by a depth-first
/// search of the tight edges, in doubles. All processors. Wrong where shortest paths cannot be counted.
/// @param graph a simple one
[[nodiscard]] std::vector<double> reference_scores(const graph::csr_graph& graph, problems::search_kind kind,
                                                   std::span<const graph::vertex_id> sources, bool endpoints);

/// "" or what is wrong with the first score that is more than rounding apart from the right one.
[[nodiscard]] std::string what_is_wrong(const graph::csr_graph& graph, std::span<const double> found,
                                        std::span<const double> right);

}  // namespace mlmq::centrality
