// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/rules/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/feature_list.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/shortest_paths/rules/part_rule.hpp"
#include "problems/shortest_paths/rules/processor_rule.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::problems {
namespace {

// Fitted to 68 graphs on an NVIDIA H200 (docs/notebook/performance.md, levels pushed and pulled).
/// Minimum degree of a hub: roads and meshes have smaller degrees and many levels, power-law graphs have larger degrees
/// and few levels.
constexpr double least_hub = 64;
/// Limit for the estimated number of levels: a level costs 3 to 4 µs, a hop of a queue 1 µs.
constexpr double most_levels = 32;
/// Number of edges below which the barriers of a block cost more than its warps gain.
constexpr double edges_for_many_threads = 600'000;
/// Number of edges above which a graph has enough rows to keep all warps busy without cutting long rows into small
/// pieces.
constexpr double edges_for_long_rows = 1'500'000;

// Fitted to the record of near_pull (scripts/near-choices; docs/notebook/performance.md, near_pull or queues).
/// The expected log of the time of the queue, divided by that of near_pull, is a constant and these, multiplied by base
/// 2 logs of the features.
constexpr double near_constant = -1.935;
constexpr double near_of_edges = 0.04089;
constexpr double near_of_longest_row = 0.1022;
constexpr double near_of_weight_variation = 0.03788;

/// Added to the variation, which is 0 if all weights are equal.
constexpr double least_variation = 0.05;
/// The variation of weights from 1 to 100 that are drawn at random, for graphs whose weights are unknown.
constexpr double usual_variation = 0.57;

/// The default for distances of 8 bytes, because the multi-level queue supports only 4.
constexpr const char* wide_default = "solver=near_far";

std::shared_ptr<const selector::ranking_model> shipped(const backends::device_info& device) {
  return device.grid ? selector::shipped_ranking_model("sssp") : nullptr;
}

/// Returns the loaded graph, or null if it is not loaded.
const graph::csr_graph* graph_in(const recommendation_question& question) {
  const auto* const loaded = dynamic_cast<const graph_workload*>(question.workload.loaded);
  return loaded == nullptr ? nullptr : &loaded->graph;
}

template <search_kind kind>
graph::weight_type distance_type(const recommendation_question& question) {
  const graph::csr_graph* const graph = graph_in(question);
  return kind == search_kind::bfs || graph == nullptr ? graph::weight_type::uint32 : graph->weights();
}

/// Replaces the features by those of the graph with unit weights, on which breadth-first search is a shortest-path
/// search.
void take_unit_weights(tuner::named_features& features) {
  const auto value = [&](const char* name) {
    const auto feature = features.find(name);
    return feature == features.end() ? 0.0 : feature->second;
  };
  const double average_degree = value("nnz") / std::max(1.0, value("m"));
  for (auto& [name, number] : features) number = graph::unit_weight_value(name, average_degree).value_or(number);
}

/// Returns whether a candidate supports the distances. The model was trained with distances of 4 bytes; some of its
/// candidates do not support 8.
template <search_kind kind>
bool fits(const tuner::configuration& chosen, const recommendation_question& question) {
  return supports_weight_type(solver_of(chosen), distance_type<kind>(question));
}

std::optional<named_candidate> partitioned_candidate(const recommendation_question& question) {
  const graph::csr_graph* const graph = graph_in(question);
  if (question.request.split == graph_split::never || graph == nullptr) return std::nullopt;
  std::optional<std::string> label = part_search_for(*graph, question.device);
  if (!label) return std::nullopt;
  return named_candidate{.label = *std::move(label),
                         .reason = question.request.split == graph_split::requested
                                       ? "the graph in parts, as requested"
                                       : "the graph in parts: its searches have taken as long as splitting it"};
}

/// Returns a search by levels if the model has no such candidate.
std::optional<named_candidate> level_candidate(const recommendation_question& question,
                                               std::span<const recommended_configuration> ranked) {
  const auto is_in_levels = [](const recommended_configuration& next) {
    const solver_traits& solver = solver_named(solver_of(next.configuration));
    return solver.on_grid && solver.only_levels;
  };
  if (!question.device.grid || question.model == nullptr || std::ranges::any_of(ranked, is_in_levels))
    return std::nullopt;
  std::optional<std::string> label = level_search_for(question.model->features(), question.model_values);
  if (!label) return std::nullopt;
  return named_candidate{
      .label = *std::move(label),
      .reason = "pushed and pulled levels: the default for breadth-first search of a graph with hubs"};
}

/// Returns near_pull if it is expected to be faster than what the shipped selector has ranked. Selectors that a user
/// has tuned or given decide alone.
std::optional<named_candidate> near_candidate(const recommendation_question& question,
                                              std::span<const recommended_configuration> ranked) {
  if (ranked.empty() || question.model != selector::shipped_ranking_model("sssp").get()) return std::nullopt;
  std::optional<std::string> label = near_search_for({.edges = question.feature("nnz"),
                                                      .longest_row = question.feature("max_nnz"),
                                                      .weight_variation = question.feature("weight_variation")});
  if (!label) return std::nullopt;
  return named_candidate{.label = *std::move(label),
                         .reason = "near vertices pushed, the others pulled: by edges, longest row and weights"};
}

template <search_kind kind>
std::vector<named_candidate> by_rule(const recommendation_question& question,
                                     std::span<const recommended_configuration> ranked) {
  std::vector<named_candidate> named;
  if (auto parts = partitioned_candidate(question)) named.push_back(*std::move(parts));
  auto by_hubs = kind == search_kind::bfs ? level_candidate(question, ranked) : near_candidate(question, ranked);
  if (by_hubs) named.push_back(*std::move(by_hubs));
  return named;
}

/// Ranks searches on processors by the shape of the graph. A loaded graph provides it itself, without computing
/// features.
template <search_kind kind>
std::vector<named_candidate> processor_candidates(const recommendation_question& question) {
  const graph::csr_graph* const graph = graph_in(question);
  graph_shape shape{.vertices = question.feature("m"),
                    .edges = question.feature("nnz"),
                    .has_equal_weights = question.feature("weight_variation") == 0,
                    .has_hubs = has_hubs(question.feature("hub_ratio"))};
  if (graph != nullptr) {
    shape = {.vertices = static_cast<double>(graph->vertex_count()),
             .edges = static_cast<double>(graph->edge_count()),
             .has_equal_weights = kind == search_kind::sssp && graph->is_fetched() && has_equal_weights(*graph),
             .has_hubs = graph->is_fetched() && has_hubs(*graph)};
  }
  const unsigned threads = question.device.multiprocessors;
  std::vector<named_candidate> ranked;
  for (processor_search& search : rank_processor_searches(kind, shape, threads)) {
    ranked.push_back({.label = std::move(search.label),
                      .reason = fmt::format("{} on {} thread{}, by the size of the graph: {:.2g} ms",
                                            ranked.empty() ? "the fastest expected search" : "the next expected search",
                                            threads, threads == 1 ? "" : "s", search.expected_ms)});
  }
  return ranked;
}

template <search_kind kind>
std::vector<named_candidate> standard(const recommendation_question& question) {
  if (!question.device.grid) return processor_candidates<kind>(question);
  if (distance_type<kind>(question) != graph::weight_type::float64) return {{.label = ""}};
  return {{.label = wide_default,
           .reason = "the default for distances of 8 bytes, which none of the selector's candidates supports"}};
}

constexpr recommendation_hook sssp_hook{.shipped = shipped,
                                        .fits = fits<search_kind::sssp>,
                                        .by_rule = by_rule<search_kind::sssp>,
                                        .standard = standard<search_kind::sssp>};
constexpr recommendation_hook bfs_hook{.shipped = shipped,
                                       .related_problem = "sssp",
                                       .adjust = take_unit_weights,
                                       .fits = fits<search_kind::bfs>,
                                       .by_rule = by_rule<search_kind::bfs>,
                                       .standard = standard<search_kind::bfs>};

}  // namespace

std::optional<std::string> level_search_for(std::span<const std::string_view> names, std::span<const double> values) {
  const auto value = [&](std::string_view name) {
    const auto index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    return index < values.size() ? values[index] : std::numeric_limits<double>::quiet_NaN();
  };
  const double edges = value("nnz");
  const double levels = value("hops");
  // A comparison with NaN is false.
  const bool has_hubs = value("max_nnz") >= least_hub;
  if (!has_hubs || std::isnan(edges) || levels > most_levels) return std::nullopt;
  if (edges < edges_for_many_threads) return level_searches[0];
  if (edges < edges_for_long_rows) return level_searches[1];
  return level_searches[2];
}

std::optional<std::string> near_search_for(const near_rule_features& features) {
  const double variation = std::isnan(features.weight_variation) ? usual_variation : features.weight_variation;
  const double gain = near_constant + near_of_edges * std::log2(features.edges) +
                      near_of_longest_row * std::log2(std::max(1.0, features.longest_row)) +
                      near_of_weight_variation * std::log2(variation + least_variation);
  // A comparison with NaN is false.
  if (!(gain > 0) || std::isnan(features.longest_row)) return std::nullopt;
  return "solver=near_pull,piece_edges=16,long_row=64,threads=768";
}

const recommendation_hook& recommendation_of(search_kind kind) {
  return kind == search_kind::bfs ? bfs_hook : sssp_hook;
}

}  // namespace mlmq::problems
