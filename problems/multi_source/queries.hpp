// SPDX-License-Identifier: Apache-2.0
// Queries of multi-source searches: the sources, and the conditions that end a search.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "tuner/query.hpp"

namespace mlmq::multi_source {

/// The searches of a query.
struct search_set {
  std::vector<graph::vertex_id> sources;
  std::vector<graph::vertex_id> targets;                     ///< empty: all vertices are targets
  graph::wide_distance_bits cutoff = graph::wide_unreached;  ///< bits of a distance
};

/// Returns the settings of a rule of `queries`: sources, seed, targets, cutoff.
[[nodiscard]] std::span<const tuner::named_meaning> declared_settings();
/// Returns the number of queries.
/// @param known settings that a rule may have, some of declared_settings()
/// @throws input_error at the place of an unknown or invalid setting
[[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules,
                                          std::span<const tuner::named_meaning> known_settings);
/// Returns the queries of the rules, without duplicates. @throws input_error like count_queries()
[[nodiscard]] std::vector<tuner::query> queries_of(const tuner::query_rules& rules,
                                                   std::span<const tuner::named_meaning> known_settings);
/// Returns the searches of a query.
/// @param average_weight unit of the cutoff
/// @throws input_error if the query is not one of this problem, or the graph has no vertices
[[nodiscard]] search_set searches_of(const graph::csr_graph& graph, const std::string& graph_name,
                                     double average_weight, const tuner::query& query);

}  // namespace mlmq::multi_source
