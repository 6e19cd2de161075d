// SPDX-License-Identifier: Apache-2.0
// Queries of shortest paths: the source vertex, such as "source=5", by its id in the graph's file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "tuner/query.hpp"

namespace mlmq::problems {

/// A rule that selects source vertices.
struct source_rule {
  enum class choice { max_degree, first, random, listed };
  choice choose = choice::max_degree;
  std::uint64_t count = 1;               ///< number of vertices; for choice::listed, the size of `listed`
  std::uint64_t seed = 1;                ///< for `random`
  std::vector<std::string> listed = {};  ///< vertices, by their ids or names in the graph's file
  tuner::source_place place = {};        ///< place of the list, for messages

  bool operator==(const source_rule& other) const {
    return choose == other.choose && count == other.count && seed == other.seed && listed == other.listed;
  }
};

/// Returns the settings of a rule of `queries`: source, choose, count, seed.
[[nodiscard]] std::span<const tuner::named_meaning> source_settings();

/// Returns the rules of an experiment file; one default rule if there are none.
/// @throws input_error at the place of a setting that is unknown or invalid
[[nodiscard]] std::vector<source_rule> source_rules_of(const tuner::query_rules& rules);

/// Returns the vertices that `rule` selects. `random` draws vertices with out-edges without repetition, so there may be
/// fewer than requested.
/// @throws input_error at the place of the list, naming `graph_name`, for a listed vertex that is not in the graph
[[nodiscard]] std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, const source_rule& rule,
                                                           const std::string& graph_name);

/// Returns the vertices of all rules, in order, without duplicates.
/// @throws input_error like for one rule
[[nodiscard]] std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph,
                                                           std::span<const source_rule> rules,
                                                           const std::string& graph_name);

/// Returns the query of a source.
[[nodiscard]] tuner::query query_of(const graph::csr_graph& graph, graph::vertex_id source);

/// Returns the source of a query.
/// @throws input_error if the query is not one of a shortest path, or the graph has no such vertex
[[nodiscard]] graph::vertex_id source_of(const graph::csr_graph& graph, const tuner::query& query,
                                         const std::string& graph_name);

}  // namespace mlmq::problems
