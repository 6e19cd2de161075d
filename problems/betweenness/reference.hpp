// SPDX-License-Identifier: Apache-2.0
// The reference scores of a query, computed on processors with another method than the solvers use.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::betweenness {

/// Computes the score of each vertex, summed over the sources, in double precision on all processors: Boost's
/// Dijkstra and Brandes' sums, with vertices ordered by a depth-first search of the tight edges. Wrong if shortest
/// paths cannot be counted.
/// @param graph must be simple
[[nodiscard]] std::vector<double> reference_scores(const graph::csr_graph& graph, problems::search_kind kind,
                                                   std::span<const graph::vertex_id> sources, bool endpoints);

/// Compares scores up to rounding. @return "" or a description of the first error
[[nodiscard]] std::string find_error(const graph::csr_graph& graph, std::span<const double> scores,
                                     std::span<const double> right);

}  // namespace mlmq::betweenness
