// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/feature_samples.hpp"

namespace mlmq::problems {
namespace {

constexpr std::array settings{
    tuner::named_meaning{"source", "id or name of the start vertex in the graph's file, or a list of them"},
    tuner::named_meaning{"choose", "rule for choosing start vertices: max_degree (default), first or random"},
    tuner::named_meaning{"count", "number of vertices that `choose` picks [1]"},
    tuner::named_meaning{"seed", "seed of `choose: random` [1]"}};

struct named_choice {
  std::string_view name;
  source_rule::choice choice;
};
constexpr std::array<named_choice, 3> choices = {{{"max_degree", source_rule::choice::max_degree},
                                                  {"first", source_rule::choice::first},
                                                  {"random", source_rule::choice::random}}};

source_rule listed_rule(const tuner::setting& listed) {
  return {.choose = source_rule::choice::listed,
          .count = listed.values.size(),
          .listed = listed.values,
          .place = listed.place};
}

source_rule rule_of(const tuner::query_rule& rule) {
  tuner::require_known_settings(rule, settings);
  const tuner::setting* const source = rule.find("source");
  const tuner::setting* const choose = rule.find("choose");
  const tuner::setting* const count = rule.find("count");
  const tuner::setting* const seed = rule.find("seed");
  if (source != nullptr) {
    for (const tuner::setting* const other : {choose, count, seed}) {
      if (other != nullptr) other->fail("it cannot be combined with 'source', which already lists the vertices");
    }
    return listed_rule(*source);
  }
  source_rule result;
  if (choose != nullptr) {
    const auto match = std::find_if(choices.begin(), choices.end(),
                                    [&](const named_choice& entry) { return entry.name == choose->value(); });
    if (match == choices.end()) choose->fail("expected max_degree, first or random, got '" + choose->value() + "'");
    result.choose = match->choice;
  }
  if (count != nullptr) result.count = count->whole_number(1);
  if (seed != nullptr) result.seed = seed->whole_number();
  return result;
}

std::vector<graph::vertex_id> vertices_with_edges(const graph::csr_graph& graph) {
  std::vector<graph::vertex_id> vertices;
  const auto offsets = graph.offsets();
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (offsets[v + 1] > offsets[v]) vertices.push_back(v);
  }
  if (vertices.empty()) {
    vertices.resize(graph.vertex_count());
    std::iota(vertices.begin(), vertices.end(), graph::vertex_id{0});
  }
  return vertices;
}

/// @param id a number or a text
template <class Id>
graph::vertex_id require_vertex(const graph::csr_graph& graph, const Id& id, const std::string& graph_name,
                                const tuner::source_place& place = {}) {
  const auto vertex = graph.ids().find(id);
  if (!vertex) {
    throw input_error(fmt::format("{}source {}: {}", place.prefix(), id, graph.ids().absence_text(graph_name, id)));
  }
  return *vertex;
}

}  // namespace

std::span<const tuner::named_meaning> source_settings() { return settings; }

std::vector<source_rule> source_rules_of(const tuner::query_rules& rules) {
  if (rules.empty()) return {source_rule{}};
  std::vector<source_rule> result;
  for (const tuner::query_rule& rule : rules) result.push_back(rule_of(rule));
  return result;
}

std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, const source_rule& rule,
                                             const std::string& graph_name) {
  if (rule.choose == source_rule::choice::listed) {
    std::vector<graph::vertex_id> listed;
    for (const std::string_view id : rule.listed) {
      listed.push_back(require_vertex(graph, id, graph_name, rule.place));
    }
    return listed;
  }
  if (rule.choose == source_rule::choice::max_degree && rule.count == 1 && graph.vertex_count() > 0) {
    return {graph::widest_vertex(graph)};
  }
  std::vector<graph::vertex_id> candidates;
  if (rule.choose == source_rule::choice::random) {
    candidates = vertices_with_edges(graph);
  } else {
    candidates.resize(graph.vertex_count());
    std::iota(candidates.begin(), candidates.end(), graph::vertex_id{0});
  }
  const std::size_t count = std::min<std::size_t>(rule.count, candidates.size());
  if (rule.choose == source_rule::choice::random) {
    random_stream random = random_stream::from_state(rule.seed);
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(candidates[i], candidates[i + random.below_by_division(candidates.size() - i)]);
    }
  } else if (rule.choose == source_rule::choice::max_degree) {
    const auto degree = [&](graph::vertex_id v) { return graph.offsets()[v + 1] - graph.offsets()[v]; };
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(candidates.begin(), end, candidates.end(), [&](graph::vertex_id a, graph::vertex_id b) {
      return degree(a) != degree(b) ? degree(a) > degree(b) : a < b;
    });
  }
  candidates.resize(count);
  return candidates;
}

std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, std::span<const source_rule> rules,
                                             const std::string& graph_name) {
  std::vector<graph::vertex_id> vertices;
  for (const source_rule& rule : rules) {
    for (const graph::vertex_id source : choose_sources(graph, rule, graph_name)) {
      if (std::find(vertices.begin(), vertices.end(), source) == vertices.end()) vertices.push_back(source);
    }
  }
  return vertices;
}

tuner::query query_of(const graph::csr_graph& graph, graph::vertex_id source) {
  return {{"source", std::to_string(graph.ids().id_of(source))}};
}

graph::vertex_id source_of(const graph::csr_graph& graph, const tuner::query& query, const std::string& graph_name) {
  return require_vertex(graph, query.whole_number("source"), graph_name);
}

}  // namespace mlmq::problems
