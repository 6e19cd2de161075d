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
    class_logarithms{std::nullopt, std::nullopt, std::nullopt, logarithm{-7.122, 0.103, 0.283, 0.488, 0.029}},
    class_logarithms{std::nullopt, std::nullopt, logarithm{-12.282, 0.667, 0.772, 0.246, 0.236},
                     logarithm{-23.007, 0.976, 0.592, -0.124, 0.065}},
    class_logarithms{std::nullopt, std::nullopt, logarithm{-10.373, 0.466, 0.461, 0.647, 0.056},
                     logarithm{-23.052, 0.876, 0.516, 0.649, -0.033}},
    class_logarithms{logarithm{-10.94, 1.251, 1.149, -0.423, -0.088}, logarithm{-8.729, 1.149, 0.662, -0.577, -0.124},
                     logarithm{-12.673, 0.829, 1.453, -0.205, -0.494}, logarithm{-31.45, 1.141, 0.866, 0.011, -0.147}},
    class_logarithms{logarithm{-8.575, 1.108, 0.826, -0.369, -0.303}, logarithm{-12.984, 1.161, 0.82, -0.162, -0.031},
                     logarithm{-9.204, 0.42, 0.304, -0.131, -0.166}, logarithm{-12.614, 0.53, 0.35, -0.186, -0.209}},
    class_logarithms{std::nullopt, std::nullopt, logarithm{-12.564, 0.97, 0.229, -0.1, -0.096},
                     logarithm{-17.314, 0.917, 0.453, 0.01, -0.076}},
    class_logarithms{logarithm{-7.924, 1.194, 0.914, -0.613, -0.433}, logarithm{-12.615, 1.42, 1.927, -0.736, -0.792},
                     logarithm{-12.504, 0.954, 0.129, -0.108, -0.074},
                     logarithm{-21.685, 1.018, 0.516, -0.254, -0.206}}};

// A hierarchy of other graphs would have too many arcs, or is refused; of smaller ones there is no record.
constexpr double longest_row_of_hierarchies = 500;
constexpr double largest_degree_of_hierarchies = 32;
constexpr double least_vertices = 10'000;
/// Minimum ratio of `hops` to the square root of the vertices. Other graphs have no small separators, or have hubs
/// through which all paths are short.
constexpr double least_hops = 0.3;
/// Largest graph::arc_bound() of other graphs.
constexpr double most_bounded_arcs = 20;
constexpr double arc_bound_ms_per_vertex = 1e-3;
/// Largest time of graph::arc_bound(), divided by that of the searches without a hierarchy.
constexpr double most_arc_bound_share = 0.05;

/// The preparation of a hierarchy takes time in inverse proportion to this power of the number of processors.
constexpr double parallelism_of_preparation = 0.75;
// See time_share(); from one graph each (notebook).
constexpr double least_share_of_kernels = 0.12;
constexpr double least_share_of_processors = 0.02;

double evaluate(const std::optional<logarithm>& fit, const cost_features& features) {
  if (!fit) return 0;
  const double degree = std::max(features.edges / features.vertices, 1.0);
  return std::exp2(fit->constant + fit->of_vertices * std::log2(features.vertices) +
                   fit->of_degree * std::log2(degree) + fit->of_hops * std::log2(std::max(features.hops, 1.0)) +
                   fit->of_longest_row * std::log2(std::max(features.longest_row / degree, 1.0)));
}

bool is_within_limits(const cost_features& features) {
  return features.longest_row <= longest_row_of_hierarchies &&
         features.edges <= largest_degree_of_hierarchies * features.vertices && features.vertices >= least_vertices &&
         features.hops >= 0;
}

bool has_many_hops(const cost_features& features) { return features.hops >= least_hops * std::sqrt(features.vertices); }

}  // namespace

bool has_hierarchy(search_class kind) {
  return kind == search_class::hierarchy || kind == search_class::supernode || kind == search_class::cpu_hierarchy;
}

double time_share(search_class kind, double reached_share) {
  if (has_hierarchy(kind) || kind == search_class::one_at_a_time) return 1;
  const double least = kind == search_class::cpu_dijkstra ? least_share_of_processors : least_share_of_kernels;
  return least + (1 - least) * reached_share;
}

bool suits_hierarchy(const cost_features& features) {
  return is_within_limits(features) && (has_many_hops(features) || features.arc_bound <= most_bounded_arcs);
}

bool needs_arc_bound(const cost_features& features) { return is_within_limits(features) && !has_many_hops(features); }

bool pays_arc_bound(const cost_features& features, double others_ms, double hierarchies_ms) {
  const double bound_ms = arc_bound_ms_per_vertex * features.vertices;
  return bound_ms <= most_arc_bound_share * others_ms && hierarchies_ms + bound_ms < others_ms;
}

expected_cost expected_cost::of_share(double share) const {
  return {.preparation_ms = preparation_ms, .first_ms = share * first_ms, .each_ms = share * each_ms};
}

expected_cost expected_cost::on_processors(double processors) const {
  const double fewer = recorded_processors / processors;
  return {.preparation_ms = preparation_ms * std::pow(fewer, parallelism_of_preparation),
          .first_ms = first_ms * fewer,
          .each_ms = each_ms * fewer};
}

expected_cost expected_cost::in_calls_of(double searches) const {
  return {.preparation_ms = preparation_ms, .first_ms = 0, .each_ms = each_ms + first_ms / searches};
}

std::optional<expected_cost> expected_cost_of(search_class kind, const cost_features& features, order_source order) {
  const bool is_known =
      features.vertices >= 1 && features.edges >= 0 && features.longest_row >= 0 && features.hops >= 0;
  const class_logarithms& fit = costs.at(static_cast<std::size_t>(kind));
  if (!is_known || !fit.each || (has_hierarchy(kind) && !suits_hierarchy(features))) return std::nullopt;
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
