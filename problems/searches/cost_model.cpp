// SPDX-License-Identifier: Apache-2.0
#include "problems/searches/cost_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/embedded_file.hpp"
#include "problems/multi_source/solver.hpp"

MLMQ_EMBED(search_costs, MLMQ_SEARCH_COSTS);

namespace mlmq::problems {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(one_by_one_costs, row_ms_per_vertex, least_gain)

namespace {

/// A base 2 logarithm is expected to be a constant and these, multiplied by the base 2 logarithms of the number of
/// vertices, the average degree, the feature `hops`, the longest row divided by the average degree, and for hierarchies
/// the bound of arcs.
struct power_law {
  double constant = 0;
  double vertices = 0;
  double degree = 0;
  double hops = 0;
  double longest_row = 0;
  double arc_bound = 0;

  [[nodiscard]] double operator()(const cost_features& features) const {
    const double average = std::max(features.edges / features.vertices, 1.0);
    const double arcs = arc_bound == 0 ? 0 : arc_bound * std::log2(std::max(features.arc_bound, 1.0));
    return std::exp2(constant + vertices * std::log2(features.vertices) + degree * std::log2(average) +
                     hops * std::log2(std::max(features.hops, 1.0)) +
                     longest_row * std::log2(std::max(features.longest_row / average, 1.0)) + arcs);
  }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(power_law, constant, vertices, degree, hops, longest_row, arc_bound)

/// Limits of graphs for which a hierarchy is considered.
struct hierarchy_limits {
  // A hierarchy of other graphs is refused; of smaller ones there is no record.
  double longest_row;
  double largest_degree;
  double least_vertices;
  /// Minimum ratio of `hops` to the square root of the vertices. Other graphs have no small separators, or have hubs
  /// through which all paths are short.
  double least_hops;
  double most_bounded_arcs;  ///< largest graph::arc_bound() of other graphs
  double safe_arcs;          ///< largest of those that always have a hierarchy; that of the others may be refused
  double risk;               ///< how much faster a hierarchy that may be refused must be expected to be
  /// Ratio of the times with and without a hierarchy from which on graph::arc_bound() is not needed to compare them.
  double clear_ratio;
  power_law arc_bound;  ///< expected of graphs with many hops
  double arc_bound_ms_per_vertex;
  double most_arc_bound_share;  ///< largest time of graph::arc_bound() / time of the searches without a hierarchy
  /// The preparation takes time in inverse proportion to this power of the number of processors.
  double parallelism_of_preparation;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(hierarchy_limits, longest_row, largest_degree, least_vertices, least_hops,
                                   most_bounded_arcs, safe_arcs, risk, clear_ratio, arc_bound, arc_bound_ms_per_vertex,
                                   most_arc_bound_share, parallelism_of_preparation)

/// When the solvers of many searches are compared by some of the searches.
struct trial_limits {
  std::map<std::string, std::vector<std::size_t>, std::less<>> searches;  ///< of the trials of a solver
  double most_share;   ///< largest expected time of a trial / that of all searches
  double first_ratio;  ///< of expected times up to which the first trial of a solver is worth its time
  double next_ratio;   ///< of the others
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(trial_limits, searches, most_share, first_ratio, next_ratio)

/// Nanoseconds per vertex and edge.
struct split_rate {
  double serial_ns;
  double parallel_ns;  ///< divided by the number of threads
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(split_rate, serial_ns, parallel_ns)

struct split_costs {
  double any_graph_ms;
  split_rate without_hubs;
  split_rate with_hubs;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(split_costs, any_graph_ms, without_hubs, with_hubs)

struct reduction_rate {
  double any_graph_ms;
  double serial_ns;    ///< per vertex and edge
  double parallel_ns;  ///< divided by the number of threads

  [[nodiscard]] double milliseconds(double items, double threads) const {
    return any_graph_ms + 1e-6 * (serial_ns + parallel_ns / threads) * items;
  }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(reduction_rate, any_graph_ms, serial_ns, parallel_ns)

struct low_degree_costs {
  double largest_degree;  ///< edges per vertex up to which the rest of a graph is like that of a road network
  double search_share;    ///< of the time of one of many searches, that remains
  reduction_rate on_processors;
  reduction_rate on_gpu;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(low_degree_costs, largest_degree, search_share, on_processors, on_gpu)

/// On processors the times of two threads of an AMD EPYC.
struct reduction_costs {
  double least_share;
  double filling_share;
  reduction_rate on_processors;
  reduction_rate on_gpu;
  low_degree_costs low_degrees;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(reduction_costs, least_share, filling_share, on_processors, on_gpu, low_degrees)

/// Time of one thread of an AMD EPYC in nanoseconds: linear in vertices and edges, with slopes that grow when the graph
/// exceeds the caches.
struct thread_cost {
  double fixed;
  double vertex;
  double edge;
  double vertex_per_doubling;       ///< added per doubling of the graph from `cached_items` to 16 times that size
  double edge_per_doubling;         ///< added per such doubling
  double vertex_per_late_doubling;  ///< added per further doubling

  [[nodiscard]] double milliseconds(double vertices, double edges) const {
    constexpr double cached_items = 4096;
    constexpr double early_doublings = 4;
    const double doublings = std::max(0.0, std::log2((vertices + edges) / cached_items));
    const double early = std::min(doublings, early_doublings);
    const double late = doublings - early;
    return 1e-6 * (fixed + vertices * (vertex + early * vertex_per_doubling + late * vertex_per_late_doubling) +
                   edges * (edge + early * edge_per_doubling));
  }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(thread_cost, fixed, vertex, edge, vertex_per_doubling, edge_per_doubling,
                                   vertex_per_late_doubling)

struct thread_limits {
  double items_per_thread;            ///< searches of graphs with fewer vertices and edges use fewer threads
  double items_per_thread_of_levels;  ///< the same for small levels
  double efficiency;                  ///< gain per additional thread, in threads
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(thread_limits, items_per_thread, items_per_thread_of_levels, efficiency)

template <class Value>
using by_name = std::map<std::string, Value, std::less<>>;

/// The content of costs.json. Parts of the costs of many searches: preparation, kept_preparation (with the order from
/// the cache folder), first, each.
struct recorded_costs {
  double recorded_processors;
  by_name<by_name<power_law>> many_searches;
  hierarchy_limits hierarchies;
  trial_limits trials;
  by_name<double> least_time_share;
  one_by_one_costs one_by_one;
  split_costs splitting;
  reduction_costs reducing;
  by_name<by_name<thread_cost>> single_thread;
  thread_limits threads;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(recorded_costs, recorded_processors, many_searches, hierarchies, trials,
                                   least_time_share, one_by_one, splitting, reducing, single_thread, threads)

/// Read when the program starts, since destroying a JSON document needs memory, which may have run out later.
const auto of_record = nlohmann::json::parse(MLMQ_EMBEDDED(search_costs)).get<recorded_costs>();

double evaluate(const by_name<power_law>& parts, std::string_view part, const cost_features& features) {
  const auto law = parts.find(part);
  return law == parts.end() ? 0 : law->second(features);
}

bool is_within_limits(const cost_features& features) {
  const hierarchy_limits& limits = of_record.hierarchies;
  return features.longest_row <= limits.longest_row && features.edges <= limits.largest_degree * features.vertices &&
         features.vertices >= limits.least_vertices && features.hops >= 0;
}

bool has_many_hops(const cost_features& features) {
  return features.hops >= of_record.hierarchies.least_hops * std::sqrt(features.vertices);
}

}  // namespace

double recorded_processors() { return of_record.recorded_processors; }

expected_cost expected_cost::of_share(double share) const {
  return {.preparation_ms = preparation_ms, .first_ms = share * first_ms, .each_ms = share * each_ms};
}

expected_cost expected_cost::measured(double searches, double milliseconds) const {
  const double ratio = milliseconds / (first_ms + searches * each_ms);
  return {.preparation_ms = preparation_ms, .first_ms = ratio * first_ms, .each_ms = ratio * each_ms};
}

expected_cost expected_cost::on_processors(double processors) const {
  if (processors == 0) return *this;
  const double fewer = of_record.recorded_processors / processors;
  return {.preparation_ms = preparation_ms * std::pow(fewer, of_record.hierarchies.parallelism_of_preparation),
          .first_ms = first_ms * fewer,
          .each_ms = each_ms * fewer};
}

expected_cost expected_cost::in_calls_of(double searches) const {
  return {.preparation_ms = preparation_ms, .first_ms = 0, .each_ms = each_ms + first_ms / searches};
}

std::optional<expected_cost> expected_cost_of(std::string_view solver, const cost_features& features,
                                              order_source order) {
  const bool is_known =
      features.vertices >= 1 && features.edges >= 0 && features.longest_row >= 0 && features.hops >= 0;
  const auto parts = of_record.many_searches.find(solver);
  if (!is_known || parts == of_record.many_searches.end()) return std::nullopt;
  if (sweeps_hierarchy(solver) && !suits_hierarchy(features)) return std::nullopt;
  const char* const preparation = order == order_source::cache_folder ? "kept_preparation" : "preparation";
  cost_features complete = features;
  if (sweeps_hierarchy(solver) && std::isnan(features.arc_bound))
    complete.arc_bound = of_record.hierarchies.arc_bound(features);
  return expected_cost{.preparation_ms = evaluate(parts->second, preparation, complete),
                       .first_ms = evaluate(parts->second, "first", complete),
                       .each_ms = evaluate(parts->second, "each", complete)};
}

std::optional<double> searches_to_pay(const expected_cost& chosen, const expected_cost& other) {
  const double more_at_once = other.preparation_ms + other.first_ms - chosen.preparation_ms - chosen.first_ms;
  const double less_for_each = chosen.each_ms - other.each_ms;
  if (!(less_for_each > 0)) return std::nullopt;
  return std::max(1.0, std::ceil(more_at_once / less_for_each));
}

bool sweeps_hierarchy(std::string_view solver) {
  return solver != one_at_a_time && multi_source::solver_named(solver).has_hierarchy;
}

double time_share(std::string_view solver, double reached_share) {
  const auto least = of_record.least_time_share.find(solver);
  if (least == of_record.least_time_share.end()) return 1;
  return least->second + (1 - least->second) * reached_share;
}

bool suits_hierarchy(const cost_features& features) {
  return is_within_limits(features) &&
         (has_many_hops(features) || features.arc_bound <= of_record.hierarchies.most_bounded_arcs);
}

double risk_of(std::string_view solver, const cost_features& features) {
  const bool is_safe =
      !sweeps_hierarchy(solver) || has_many_hops(features) || features.arc_bound <= of_record.hierarchies.safe_arcs;
  return is_safe ? 1 : of_record.hierarchies.risk;
}

bool needs_arc_bound(const cost_features& features, double others_ms, double hierarchies_ms) {
  if (!is_within_limits(features)) return false;
  const double limit = of_record.hierarchies.clear_ratio;
  return !has_many_hops(features) || (others_ms <= limit * hierarchies_ms && hierarchies_ms <= limit * others_ms);
}

bool pays_arc_bound(const cost_features& features, double others_ms, double hierarchies_ms) {
  const double bound_ms = of_record.hierarchies.arc_bound_ms_per_vertex * features.vertices;
  return bound_ms <= of_record.hierarchies.most_arc_bound_share * others_ms && hierarchies_ms + bound_ms < others_ms;
}

std::optional<std::size_t> trial_searches(std::string_view solver, std::size_t trials) {
  const auto searches = of_record.trials.searches.find(solver);
  if (searches == of_record.trials.searches.end() || searches->second.size() <= trials) return std::nullopt;
  return searches->second[trials];
}

bool is_short(const trial_costs& costs) { return costs.trial_ms <= of_record.trials.most_share * costs.best_ms; }

bool is_worth_trying(const trial_costs& costs, std::size_t trials) {
  const trial_limits& limits = of_record.trials;
  const double ratio = trials == 0 ? limits.first_ratio : limits.next_ratio;
  return is_short(costs) && std::max(costs.solver_ms, costs.others_ms) <= ratio * costs.best_ms;
}

const one_by_one_costs& costs_of_one_by_one() { return of_record.one_by_one; }

double expected_split_ms(double items, bool has_hubs, double threads) {
  const split_costs& costs = of_record.splitting;
  const split_rate& rate = has_hubs ? costs.with_hubs : costs.without_hubs;
  return costs.any_graph_ms + 1e-6 * (rate.serial_ns + rate.parallel_ns / threads) * items;
}

double expected_reduction_ms(double items, bool on_gpu, double threads) {
  const reduction_rate& costs = on_gpu ? of_record.reducing.on_gpu : of_record.reducing.on_processors;
  return costs.milliseconds(items, threads);
}

std::optional<double> expected_low_degree_ms(double vertices, double edges, bool on_gpu, double threads) {
  const low_degree_costs& costs = of_record.reducing.low_degrees;
  if (edges > costs.largest_degree * vertices) return std::nullopt;
  return (on_gpu ? costs.on_gpu : costs.on_processors).milliseconds(vertices + edges, threads);
}

double search_share_without_low_degrees() { return of_record.reducing.low_degrees.search_share; }

double share_to_fill_in() { return of_record.reducing.filling_share; }

double least_share_to_reduce() { return of_record.reducing.least_share; }

double expected_processor_ms(std::string_view solver, processor_weights weights, double vertices, double edges,
                             double gain) {
  constexpr std::array names{"weighted", "equal_weights", "equal_weights_few_edges"};
  const auto& costs = of_record.single_thread.find(names.at(static_cast<std::size_t>(weights)))->second;
  return costs.find(solver)->second.milliseconds(vertices, edges) / gain;
}

thread_gain gain_of_threads(double items, unsigned threads, processor_weights weights) {
  const thread_limits& limits = of_record.threads;
  const double sharing_factor = items < 1 << 20 ? 2.0 : 1.4;
  const double per_thread =
      weights == processor_weights::equal_few_edges ? limits.items_per_thread_of_levels : limits.items_per_thread;
  const double useful = std::clamp(items / per_thread, 1.0, std::max(1.0, threads / sharing_factor));
  return {.useful = useful, .speedup = 1 + limits.efficiency * (useful - 1)};
}

bool is_for_one_thread(double items) { return items < 2 * of_record.threads.items_per_thread; }

}  // namespace mlmq::problems
