// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/queries.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "problems/multi_source/queries.hpp"

namespace mlmq::betweenness {
namespace {

constexpr std::array settings{
    tuner::named_meaning{"sources",
                         "number of sources: random, distinct vertices with edges; all: each vertex once [1024]"},
    tuner::named_meaning{"seed", "random seed [1]"}};

}  // namespace

std::span<const tuner::named_meaning> declared_settings() { return settings; }

std::vector<graph::vertex_id> sources_of(const graph::csr_graph& graph, const std::string& graph_name,
                                         const tuner::query& query) {
  multi_source::search_set set = multi_source::searches_of(graph, graph_name, 1, query);
  if (!set.targets.empty() || set.cutoff != graph::wide_unreached) {
    throw input_error(fmt::format("query '{}': betweenness has no targets and no cutoff", query.text()));
  }
  return std::move(set.sources);
}

}  // namespace mlmq::betweenness
