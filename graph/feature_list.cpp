// SPDX-License-Identifier: Apache-2.0
#include "graph/feature_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/feature_pass.hpp"
#include "graph/feature_samples.hpp"

namespace mlmq::graph {
namespace {

using enum feature_cost;

// Features in the order of pass_features(), then of sampled_features(). Degrees are out-degrees; deviations are those
// of the population.
constexpr std::array definitions{
    feature_definition{"m", pass, "vertices"},
    feature_definition{"nnz", pass, "edges"},
    feature_definition{"avg_nnz", pass, "average degree"},
    feature_definition{"max_nnz", pass, "largest degree"},
    feature_definition{"dev_nnz", pass, "standard deviation of the degrees"},
    feature_definition{"avg_weight", pass, "average weight"},
    feature_definition{"dev_weight", pass, "standard deviation of the weights"},
    feature_definition{"max_weight", pass, "largest weight"},
    feature_definition{"degree_p10", pass, "10th percentile of the degrees, to within an eighth"},
    feature_definition{"degree_p50", pass, "median degree, to within an eighth"},
    feature_definition{"degree_p90", pass, "90th percentile of the degrees, to within an eighth"},
    feature_definition{"degree_p99", pass, "99th percentile of the degrees, to within an eighth"},
    feature_definition{"dead_ends", pass, "share of the vertices without out-edges"},
    feature_definition{"hub_ratio", pass, "largest / average degree"},
    feature_definition{"degree_variation", pass, "deviation / average of the degrees"},
    feature_definition{"weight_p10", pass,
                       "10th percentile of the weights, to within an eighth; of a sample if there are many edges"},
    feature_definition{"weight_p50", pass, "median weight, like weight_p10"},
    feature_definition{"weight_p90", pass, "90th percentile of the weights, like weight_p10"},
    feature_definition{"weight_p99", pass, "99th percentile of the weights, like weight_p10"},
    feature_definition{"weight_variation", pass, "deviation / average of the weights"},
    feature_definition{"weight_skew", pass, "average / median weight: far above 1 when few are large"},
    feature_definition{"weight_to_degree", pass, "average weight / average degree"},
    feature_definition{"hops", sampling, "estimated number of edges on the longest of all paths with the fewest edges"},
    feature_definition{"frontier", sampling,
                       "vertices that a search reaches / hops: the average available parallelism"},
    feature_definition{
        "reach_share", sampling,
        "share of 64 random vertices from which at least 64 others (or half of all vertices) can be reached"},
    feature_definition{"clustering", sampling, "share of 512 random pairs of neighbours of a vertex that are adjacent"},
    feature_definition{"edge_span", sampling,
                       "average difference between the vertex ids of the two ends of 512 random edges / vertices: 1/3 "
                       "without locality"},
};

constexpr std::size_t passes = static_cast<std::size_t>(std::count_if(
    definitions.begin(), definitions.end(), [](const feature_definition& feature) { return feature.cost == pass; }));

}  // namespace

std::string_view name_of(feature_cost cost) noexcept { return cost == pass ? "pass" : "sampling"; }

std::span<const feature_definition> feature_definitions() { return definitions; }

std::size_t pass_feature_count() noexcept { return passes; }

feature_values all_features(const csr_graph& graph, unsigned threads) {
  const feature_pass pass_result = run_feature_pass(graph, threads);
  feature_values values = pass_features(pass_result);
  const feature_values sampled = sampled_features(graph, pass_result.widest);
  values.insert(values.end(), sampled.begin(), sampled.end());
  return values;
}

feature_values some_features(const csr_graph& graph, std::span<const std::string_view> names, unsigned threads) {
  if (names.empty()) return {};
  const bool is_sampled =
      std::any_of(names.begin(), names.end(), [](std::string_view name) { return feature_index(name) >= passes; });
  // Sampling starts at the vertex of largest degree, which the pass finds, so a pass always runs.
  const feature_values all_values =
      is_sampled ? all_features(graph, threads) : pass_features(run_feature_pass(graph, threads));
  feature_values values;
  for (const std::string_view name : names) values.push_back(all_values.at(feature_index(name)));
  return values;
}

graph_features table2_of(const feature_values& values) {
  return {.m = values.at(0),
          .nnz = values.at(1),
          .avg_nnz = values.at(2),
          .max_nnz = values.at(3),
          .dev_nnz = values.at(4),
          .avg_weight = values.at(5),
          .dev_weight = values.at(6),
          .max_weight = values.at(7)};
}

std::optional<double> unit_weight_value(std::string_view name, double average_degree) {
  constexpr std::array ones = {"avg_weight", "max_weight", "weight_p10", "weight_p50",
                               "weight_p90", "weight_p99", "weight_skew"};
  constexpr std::array zeros = {"dev_weight", "weight_variation"};
  const bool has_edges = average_degree > 0;
  if (std::find(ones.begin(), ones.end(), name) != ones.end()) return has_edges ? 1.0 : 0.0;
  if (std::find(zeros.begin(), zeros.end(), name) != zeros.end()) return 0.0;
  if (name == "weight_to_degree") return has_edges ? 1.0 / average_degree : 0.0;
  return std::nullopt;
}

std::size_t feature_index(std::string_view name) {
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (definitions.at(i).name == name) return i;
  }
  std::vector<std::string> names;
  for (const feature_definition& feature : definitions) names.emplace_back(feature.name);
  throw input_error(fmt::format("unknown feature '{}', expected one of {}{}", name, fmt::join(names, ", "),
                                did_you_mean(name, names)));
}

}  // namespace mlmq::graph
