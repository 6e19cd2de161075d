// SPDX-License-Identifier: Apache-2.0
// Queries of betweenness: sets of sources.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "tuner/query.hpp"

namespace mlmq::centrality {

/// Returns the settings of a rule of `queries`: sources, seed.
[[nodiscard]] std::span<const tuner::named_meaning> betweenness_settings();
/// Returns the number of queries. @throws input_error at the place of an invalid setting
[[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules);
/// Returns the queries of the rules, without duplicates. @throws input_error like count_queries()
[[nodiscard]] std::vector<tuner::query> queries_of(const tuner::query_rules& rules);
/// Returns the sources of a query.
/// @throws input_error if the query is not one of betweenness, or the graph has no vertices
[[nodiscard]] std::vector<graph::vertex_id> sources_of(const graph::csr_graph& graph, const std::string& graph_name,
                                                       const tuner::query& query);

}  // namespace mlmq::centrality
