// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/class_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace mlmq::multi_source {
namespace {

/// A base 2 logarithm is expected to be a constant and these, multiplied by the base 2 logarithms of the number of
/// vertices, the average degree, the feature `hops`, and the longest row divided by the average degree.
struct logarithm {
  double constant;
  double of_vertices;
  double of_degree;
  double of_hops;
  double of_longest_row;
};

struct class_logarithms {
  std::optional<logarithm> preparation;
  std::optional<logarithm> kept_preparation;  ///< with the order from the cache folder
  std::optional<logarithm> first;
  std::optional<logarithm> each;  ///< nothing: the class is not on record
};

// Fitted by scripts/class-costs to experiments/recorded/class_costs.csv.gz, in the order of search_class.
constexpr std::array costs{
    class_logarithms{std::nullopt, std::nullopt, std::nullopt, logarithm{-7.163, 0.088, 0.278, 0.526, 0.024}},
    class_logarithms{std::nullopt, std::nullopt, logarithm{-13.573, 0.673, 0.935, 0.333, 0.286},
                     logarithm{-26.801, 0.98, 1.25, 0.127, 0.167}},
    class_logarithms{std::nullopt, std::nullopt, logarithm{-11.216, 0.589, 0.208, 0.571, -0.005},
                     logarithm{-23.931, 0.949, 0.489, 0.62, -0.078}},
    class_logarithms{logarithm{-13.016, 1.244, 1.871, -0.228, -0.645}, logarithm{-12.615, 1.42, 1.927, -0.736, -0.792},
                     logarithm{-16.417, 0.644, 2.349, 0.417, -0.563}, logarithm{-30.764, 1.069, 1.044, 0.058, -0.136}},
    class_logarithms{std::nullopt, std::nullopt, std::nullopt, std::nullopt},
    class_logarithms{std::nullopt, std::nullopt, logarithm{-14.22, 0.983, 0.48, -0.017, -0.059},
                     logarithm{-18.304, 0.95, 0.542, 0.028, -0.071}},
    class_logarithms{logarithm{-12.008, 1.303, 1.613, -0.44, -0.524}, logarithm{-12.615, 1.42, 1.927, -0.736, -0.792},
                     logarithm{-13.864, 0.957, 0.362, -0.004, -0.074},
                     logarithm{-23.401, 1.022, 0.811, -0.123, -0.178}}};

// A hierarchy of other graphs would have too many arcs, or is refused; of smaller ones there is no record.
constexpr double longest_row_of_hierarchies = 500;
constexpr double largest_degree_of_hierarchies = 32;
/// Minimum ratio of `hops` to the square root of the vertices. Other graphs have no small separators.
constexpr double least_hops = 0.3;
constexpr double least_vertices = 10'000;

double evaluate(const std::optional<logarithm>& fit, const cost_features& features) {
  if (!fit) return 0;
  const double degree = std::max(features.edges / features.vertices, 1.0);
  return std::exp2(fit->constant + fit->of_vertices * std::log2(features.vertices) +
                   fit->of_degree * std::log2(degree) + fit->of_hops * std::log2(std::max(features.hops, 1.0)) +
                   fit->of_longest_row * std::log2(std::max(features.longest_row / degree, 1.0)));
}

}  // namespace

bool suits_hierarchy(const cost_features& features) {
  return features.longest_row <= longest_row_of_hierarchies &&
         features.edges <= largest_degree_of_hierarchies * features.vertices &&
         features.hops >= least_hops * std::sqrt(features.vertices) && features.vertices >= least_vertices;
}

expected_cost expected_cost::in_calls_of(double searches) const {
  return {.preparation_ms = preparation_ms, .first_ms = 0, .each_ms = each_ms + first_ms / searches};
}

std::optional<expected_cost> expected_cost_of(search_class kind, const cost_features& features, order_source order) {
  const bool is_known =
      features.vertices >= 1 && features.edges >= 0 && features.longest_row >= 0 && features.hops >= 0;
  const bool is_hierarchy =
      kind == search_class::hierarchy || kind == search_class::supernode || kind == search_class::cpu_hierarchy;
  const class_logarithms& fit = costs.at(static_cast<std::size_t>(kind));
  if (!is_known || !fit.each || (is_hierarchy && !suits_hierarchy(features))) return std::nullopt;
  const bool is_kept = order == order_source::cache_folder;
  return expected_cost{.preparation_ms = evaluate(is_kept ? fit.kept_preparation : fit.preparation, features),
                       .first_ms = evaluate(fit.first, features),
                       .each_ms = evaluate(fit.each, features)};
}

std::optional<double> searches_to_pay(const expected_cost& chosen, const expected_cost& other) {
  const double more_at_once = other.preparation_ms + other.first_ms - chosen.preparation_ms - chosen.first_ms;
  const double less_for_each = chosen.each_ms - other.each_ms;
  if (!(less_for_each > 0)) return std::nullopt;
  return std::max(1.0, std::ceil(more_at_once / less_for_each));
}

}  // namespace mlmq::multi_source
