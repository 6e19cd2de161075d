// SPDX-License-Identifier: Apache-2.0
// The right answers of a query, found on processors, one search a thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "batches/batch_abi.cuh"
#include "graph/csr.hpp"
#include "problems/search_batches/queries.hpp"
#include "problems/search_batches/solver.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::batches {

/// Of all searches of a query, in their order.
struct right_answers {
  std::vector<batch_answer> answers;       ///< without targets
  graph::distance_array target_distances;  ///< with targets, those of a search side by side
};

/// By Dijkstra's algorithm on all processors.
[[nodiscard]] right_answers find_right_answers(const graph::csr_graph& graph, problems::search_kind kind,
                                               const search_set& asked);

/// "" or what is wrong with the first wrong search.
/// @param answers, target_distances as right_answers
[[nodiscard]] std::string what_is_wrong(const graph::csr_graph& graph, const search_set& asked,
                                        const right_answers& right, std::span<const batch_answer> answers,
                                        const graph::distance_array& target_distances);

/// What a solver has of its last run, for what_is_wrong().
[[nodiscard]] graph::distance_array target_distances_of(solver& solved, const graph::csr_graph& graph);

}  // namespace mlmq::batches
