// SPDX-License-Identifier: Apache-2.0
// Queries of shortest paths: the vertex that a search starts from, "source=5", by its id in the graph's file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "tuner/query.hpp"

namespace mlmq::problems {

/// Vertices that a search starts from.
struct source_rule {
  enum class choice { max_degree, first, random, listed };
  choice choose = choice::max_degree;
  std::uint64_t count = 1;                 ///< how many; the size of `listed` when they are listed
  std::uint64_t seed = 1;                  ///< for `random`
  std::vector<std::uint64_t> listed = {};  ///< vertices, by their ids in the graph's file
  tuner::source_place place = {};          ///< of the list, for messages

  bool operator==(const source_rule& other) const {
    return choose == other.choose && count == other.count && seed == other.seed && listed == other.listed;
  }
};

/// What a rule of `queries` may have: source, choose, count, seed.
[[nodiscard]] std::span<const tuner::named_meaning> source_settings();

/// The rules of an experiment file; one standard rule when there are none.
/// @throws input_error at the place of a setting that is unknown or cannot be used
[[nodiscard]] std::vector<source_rule> source_rules_of(const tuner::query_rules& rules);

/// The vertices that `rule` picks. `random` draws among vertices with out-edges. Without repetition, so there may be fewer
/// than asked for. @throws input_error at the place of the list, naming `graph_name`, for a listed vertex that is not in
/// the graph
[[nodiscard]] std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, const source_rule& rule,
                                                           const std::string& graph_name);

/// Those of all rules in their order, each vertex once: one that an earlier rule has picked makes the list shorter.
/// @throws input_error as for one rule
[[nodiscard]] std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph,
                                                           std::span<const source_rule> rules,
                                                           const std::string& graph_name);

/// The query of a source.
[[nodiscard]] tuner::query query_of(const graph::csr_graph& graph, graph::vertex_id source);

/// The source of a query. @throws input_error when it is not one of a shortest path, or the graph has no such vertex
[[nodiscard]] graph::vertex_id source_of(const graph::csr_graph& graph, const tuner::query& asked,
                                         const std::string& graph_name);

}  // namespace mlmq::problems
