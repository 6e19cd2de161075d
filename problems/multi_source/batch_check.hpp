// SPDX-License-Identifier: Apache-2.0
// The reference answers of a query, computed on processors with one search per thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "multi_source/multi_source_abi.cuh"
#include "problems/multi_source/queries.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::multi_source {

/// Distances of targets, with elements of 4 or 8 bytes.
using target_distance_array = std::variant<std::vector<graph::distance_bits>, std::vector<graph::wide_distance_bits>>;

/// Reference answers of all searches of a query, in order.
struct right_answers {
  std::vector<multi_source_answer> answers;  ///< used without targets
  target_distance_array target_distances;    ///< used with targets; those of a search are adjacent
};

/// Searches with Dijkstra's algorithm on all processors, like the solver cpu_dijkstra.
/// @param visit receives each search when it has ended, from any thread
/// @param stop called periodically, from any thread; true ends the searches. Empty: they are not ended
void visit_distances(const graph::csr_graph& graph, problems::search_kind kind, const search_set& set,
                     const std::function<void(std::size_t search, const sequential_search& finished)>& visit,
                     const std::function<bool()>& stop = {});

/// Like visit_distances(), for checks: all distances are also verified from the graph alone, so that a fault of these
/// searches is found even if the solver shares it.
/// @throws work_error if a distance is wrong
void visit_verified_distances(const graph::csr_graph& graph, problems::search_kind kind, const search_set& set,
                              const std::function<void(std::size_t search, const sequential_search& right)>& visit);

/// Computes the reference answers with Dijkstra's algorithm on all processors.
[[nodiscard]] right_answers find_right_answers(const graph::csr_graph& graph, problems::search_kind kind,
                                               const search_set& set);

/// Checks answers.
/// @param answers, target_distances like in right_answers
/// @return "" or a description of the first wrong search
[[nodiscard]] std::string find_error(const graph::csr_graph& graph, const search_set& set, const right_answers& right,
                                     std::span<const multi_source_answer> answers,
                                     const target_distance_array& target_distances);

/// Returns the target distances of a solver's last run, for find_error().
[[nodiscard]] target_distance_array target_distances_of(solver& solved, const graph::csr_graph& graph);

}  // namespace mlmq::multi_source
