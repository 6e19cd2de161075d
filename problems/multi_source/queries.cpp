// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/graphs/sources.hpp"

namespace mlmq::multi_source {
namespace {

constexpr std::uint64_t most_searches = std::uint64_t{1} << 26;
constexpr const char* standard_sources = "1024";

constexpr std::array settings{
    tuner::named_meaning{"sources",
                         "number of searches, from random, distinct vertices with edges; all: each vertex once [1024]"},
    tuner::named_meaning{"seed", "random seed [1]"},
    tuner::named_meaning{"targets", "number of random target vertices, after which a search ends; 0: none [0]"},
    tuner::named_meaning{"cutoff", "maximum distance to search for, in average weights; none: no limit [none]"}};

/// @return 0 for "all"
std::uint64_t sources_in(const tuner::setting& setting) {
  if (setting.value() == "all") return 0;
  const std::uint64_t count = setting.whole_number(1);
  if (count > most_searches) setting.fail(fmt::format("{} searches, expected at most {}", count, most_searches));
  return count;
}

double cutoff_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) && value >= 0 ? value : -1;
}

void check(const tuner::query_rule& rule, std::span<const tuner::named_meaning> known_settings) {
  tuner::require_known_settings(rule, known_settings);
  if (const auto* setting = rule.find("sources")) (void)sources_in(*setting);
  if (const auto* setting = rule.find("seed")) (void)setting->whole_number(0);
  if (const auto* setting = rule.find("targets"); setting != nullptr && setting->whole_number(0) > most_searches) {
    setting->fail(fmt::format("expected at most {} targets", most_searches));
  }
  if (const auto* setting = rule.find("cutoff");
      setting != nullptr && setting->value() != "none" && cutoff_in(setting->value()) < 0) {
    setting->fail(
        fmt::format("expected none, or a number of average weights of at least 0, got '{}'", setting->value()));
  }
}

std::string text_or(const tuner::query_rule& rule, const char* name, const char* standard) {
  const tuner::setting* const setting = rule.find(name);
  return setting == nullptr ? standard : setting->value();
}

tuner::query query_of(const tuner::query_rule& rule) {
  // Settings with their default are omitted, so that the names of recorded queries stay the same.
  std::string text =
      fmt::format("sources={}:seed={}", text_or(rule, "sources", standard_sources), text_or(rule, "seed", "1"));
  if (const std::string targets = text_or(rule, "targets", "0"); targets != "0") text += ":targets=" + targets;
  if (const std::string cutoff = text_or(rule, "cutoff", "none"); cutoff != "none") text += ":cutoff=" + cutoff;
  return tuner::query::parse(text);
}

bool has(const tuner::query& query, const std::string& name) {
  return fmt::format(":{}", query.text()).find(fmt::format(":{}=", name)) != std::string::npos;
}

std::vector<graph::vertex_id> drawn(const graph::csr_graph& graph, std::uint64_t count, std::uint64_t seed,
                                    const std::string& name) {
  return problems::choose_sources(
      graph, {.choose = problems::source_rule::choice::random, .count = count, .seed = seed}, name);
}

}  // namespace

std::span<const tuner::named_meaning> declared_settings() { return settings; }

std::uint64_t count_queries(const tuner::query_rules& rules, std::span<const tuner::named_meaning> known_settings) {
  for (const tuner::query_rule& rule : rules) check(rule, known_settings);
  return rules.empty() ? 1 : rules.size();
}

std::vector<tuner::query> queries_of(const tuner::query_rules& rules,
                                     std::span<const tuner::named_meaning> known_settings) {
  (void)count_queries(rules, known_settings);
  if (rules.empty()) return {query_of({})};
  std::vector<tuner::query> queries;
  for (const tuner::query_rule& rule : rules) {
    tuner::query query = query_of(rule);
    if (std::ranges::find(queries, query) == queries.end()) queries.push_back(std::move(query));
  }
  return queries;
}

search_set searches_of(const graph::csr_graph& graph, const std::string& graph_name, double average_weight,
                       const tuner::query& query) {
  if (graph.vertex_count() == 0) throw input_error(graph_name + ": the graph has no vertices, so no search can begin");
  search_set set;
  const std::uint64_t seed = query.whole_number("seed");
  if (query.at("sources") == "all") {
    set.sources.resize(graph.vertex_count());
    std::iota(set.sources.begin(), set.sources.end(), graph::vertex_id{0});
  } else {
    set.sources = drawn(graph, query.whole_number("sources"), seed, graph_name);
    if (set.sources.empty()) set.sources = {0};  // a graph without edges
  }
  if (has(query, "targets")) {
    set.targets = drawn(graph, query.whole_number("targets"), seed + 1, graph_name);
    if (set.targets.empty()) set.targets = {0};
  }
  if (has(query, "cutoff")) {
    const double cutoff = cutoff_in(query.at("cutoff"));
    if (cutoff < 0) throw input_error(fmt::format("query '{}': 'cutoff' must be a number of at least 0", query.text()));
    set.cutoff = graph.weights() == graph::weight_type::float64
                     ? problems::wide_distance_word(cutoff * average_weight)
                     : problems::distance_word(cutoff * average_weight, graph.weights());
  }
  return set;
}

}  // namespace mlmq::multi_source
