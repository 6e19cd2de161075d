// SPDX-License-Identifier: Apache-2.0
// Queries of betweenness: which sources.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "tuner/query.hpp"

namespace mlmq::centrality {

/// What a rule of `queries` may have: sources, seed.
[[nodiscard]] std::span<const tuner::named_meaning> betweenness_settings();
/// @throws input_error at the place of a setting that cannot be used
[[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules);
/// The queries of the rules, each once. @throws input_error as count_queries()
[[nodiscard]] std::vector<tuner::query> queries_of(const tuner::query_rules& rules);
/// @throws input_error for a query that is not one of betweenness, or a graph without vertices
[[nodiscard]] std::vector<graph::vertex_id> sources_of(const graph::csr_graph& graph, const std::string& graph_name,
                                                       const tuner::query& asked);

}  // namespace mlmq::centrality
