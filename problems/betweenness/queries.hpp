// SPDX-License-Identifier: Apache-2.0
// Queries of betweenness: sets of sources.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "tuner/query.hpp"

namespace mlmq::betweenness {

/// Returns the settings of a rule of `queries`, those of multi-source searches that do not end searches early: sources,
/// seed.
[[nodiscard]] std::span<const tuner::named_meaning> declared_settings();
/// Returns the sources of a query.
/// @throws input_error if the query is not one of betweenness, or the graph has no vertices
[[nodiscard]] std::vector<graph::vertex_id> sources_of(const graph::csr_graph& graph, const std::string& graph_name,
                                                       const tuner::query& query);

}  // namespace mlmq::betweenness
