// SPDX-License-Identifier: Apache-2.0
// Queries of batches: which sources, and what ends a search.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "tuner/query.hpp"

namespace mlmq::batches {

/// The searches of a query.
struct search_set {
  std::vector<graph::vertex_id> sources;
  std::vector<graph::vertex_id> targets;                     ///< none: all vertices are searched for
  graph::wide_distance_bits cutoff = graph::wide_unreached;  ///< bits of a distance
};

/// What a rule of `queries` may have: sources, seed, targets, cutoff.
[[nodiscard]] std::span<const tuner::named_meaning> batch_settings();
/// @throws input_error at the place of a setting that cannot be used
[[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules);
/// The queries of the rules, each once. @throws input_error as count_queries()
[[nodiscard]] std::vector<tuner::query> queries_of(const tuner::query_rules& rules);
/// @param average_weight unit of the cutoff
/// @throws input_error for a query that is not of a batch, or a graph without vertices
[[nodiscard]] search_set searches_of(const graph::csr_graph& graph, const std::string& graph_name,
                                     double average_weight, const tuner::query& asked);

}  // namespace mlmq::batches
