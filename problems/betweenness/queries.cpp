// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/queries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "problems/search_batches/queries.hpp"

namespace mlmq::centrality {
namespace {

constexpr std::array settings{
    tuner::named_meaning{"sources",
                         "number of sources, different vertices with edges, drawn at random; all: each vertex once "
                         "[1024]"},
    tuner::named_meaning{"seed", "of what is drawn [1]"}};

/// Those of a batch without what ends a search early.
void check(const tuner::query_rules& rules) {
  const std::vector<std::string> known = {"sources", "seed"};
  for (const tuner::query_rule& rule : rules) {
    for (const tuner::setting& one : rule.settings) {
      if (std::ranges::find(known, one.name) != known.end()) continue;
      throw input_error(fmt::format("{}unknown key '{}' of a query{}; known are {}", one.place.prefix(), one.name,
                                    did_you_mean(one.name, known), fmt::join(known, ", ")));
    }
  }
}

}  // namespace

std::span<const tuner::named_meaning> betweenness_settings() { return settings; }

std::uint64_t count_queries(const tuner::query_rules& rules) {
  check(rules);
  return batches::count_queries(rules);
}

std::vector<tuner::query> queries_of(const tuner::query_rules& rules) {
  check(rules);
  return batches::queries_of(rules);
}

std::vector<graph::vertex_id> sources_of(const graph::csr_graph& graph, const std::string& graph_name,
                                         const tuner::query& asked) {
  batches::search_set set = batches::searches_of(graph, graph_name, 1, asked);
  if (!set.targets.empty() || set.cutoff != graph::wide_unreached) {
    throw input_error(fmt::format("query '{}': betweenness has no targets and no cutoff", asked.text()));
  }
  return std::move(set.sources);
}

}  // namespace mlmq::centrality
