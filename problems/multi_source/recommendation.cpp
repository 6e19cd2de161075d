// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "graph/hierarchy/arc_bound.hpp"
#include "graph/hierarchy/kept_order.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/multi_source/class_costs.hpp"

namespace mlmq::multi_source {
namespace {

std::vector<problems::named_candidate> labelled(std::initializer_list<const char*> labels) {
  std::vector<problems::named_candidate> named;
  for (const char* const label : labels) named.push_back({.label = label});
  return named;
}

/// Minimum ratio of largest to average degree of a graph with hubs, on which groups of 32 searches are faster.
constexpr double least_hub_ratio = 8;
constexpr double largest_degree_of_roads = 3.2;
/// Number of vertices from which larger blocks are faster: fewer concurrent searches share the cache, and levels of
/// supernodes are wide.
constexpr double least_large = 500'000;
/// Minimum degree of street grids. With fewer edges per vertex, most vertices are points of a curve, and frontiers are
/// narrow.
constexpr double least_degree_of_grids = 2.4;
/// Renumbering by place takes about 0.35 µs per vertex and saves 10 to 60 ps per vertex and search.
constexpr std::size_t least_placed = 16'384;

std::vector<problems::named_candidate> for_roads(bool is_large, bool is_grid, bool by_place) {
  if (is_large) {
    return by_place ? labelled({"threads=512,blocks=2,near_items=512,ell_width=4,delta=8,order=place,packed_rows=true",
                                "threads=512,blocks=3,near_items=512,ell_width=4,delta=8,order=place",
                                "threads=512,blocks=2,near_items=512,ell_width=4,delta=8,order=place"})
                    : labelled({"threads=512,blocks=2,near_items=512,ell_width=4,delta=8,packed_rows=true",
                                "threads=512,blocks=3,near_items=512,ell_width=4,delta=8,packed_rows=true",
                                "threads=512,blocks=2,near_items=512,ell_width=4,delta=8"});
  }
  if (is_grid) {
    return by_place ? labelled({"threads=256,blocks=5,near_items=512,ell_width=4,delta=8,order=place,packed_rows=true",
                                "threads=128,blocks=12,near_items=512,ell_width=4,delta=8,order=place",
                                "threads=256,blocks=6,near_items=512,ell_width=4,delta=8,order=place,packed_rows=true"})
                    : labelled({"threads=512,blocks=3,near_items=512,ell_width=4,delta=8,packed_rows=true",
                                "threads=512,blocks=3,near_items=512,ell_width=4,delta=8",
                                "threads=128,blocks=12,near_items=512,ell_width=4,delta=8"});
  }
  return by_place ? labelled({"threads=128,blocks=12,near_items=512,ell_width=4,delta=8,order=place",
                              "threads=128,blocks=16,near_items=512,ell_width=4,delta=8,order=place",
                              "threads=256,blocks=5,near_items=512,ell_width=4,delta=8,order=place,packed_rows=true"})
                  : labelled({"threads=128,blocks=12,near_items=512,ell_width=4,delta=8",
                              "threads=512,blocks=3,near_items=512,ell_width=4,delta=8",
                              "threads=256,blocks=6,near_items=512,ell_width=4,delta=8,packed_rows=true"});
}

std::vector<problems::named_candidate> for_meshes(bool by_place) {
  return by_place ? labelled({"threads=256,blocks=6,near_items=512,ell_width=8,delta=5,order=place",
                              "threads=128,blocks=12,near_items=512,ell_width=8,delta=8,order=place",
                              "threads=256,blocks=6,near_items=512,ell_width=8,delta=3,order=place"})
                  : labelled({"threads=256,blocks=6,near_items=512,ell_width=8,delta=3",
                              "threads=512,blocks=3,near_items=512,ell_width=8,delta=8",
                              "threads=256,blocks=4,near_items=512,ell_width=8,delta=8"});
}

std::vector<problems::named_candidate> for_hubs() {
  return labelled({"solver=group,threads=1024,blocks=1,parts=11", "solver=group,threads=512,blocks=2,parts=22",
                   "solver=group,threads=1024,blocks=1,parts=4"});
}

/// Configurations of the solver `supernode` for this number of searches at a time.
std::vector<problems::named_candidate> for_supernodes(std::size_t searches, bool is_large) {
  if (searches > 2) return labelled({"solver=supernode,threads=512,blocks=1,added_arcs=8,columns=4"});
  if (searches == 2) return labelled({"solver=supernode,threads=768,blocks=1,added_arcs=8,columns=2"});
  return is_large ? labelled({"solver=supernode,threads=1024,blocks=1,added_arcs=8,columns=1"})
                  : labelled({"solver=supernode,threads=768,blocks=1,added_arcs=8,columns=1"});
}

std::vector<problems::named_candidate> for_modelled(bool has_hubs) {
  // Memory is small, and simulating a warp is slow.
  if (has_hubs) return labelled({"solver=group,threads=64,blocks=1,parts=2", "threads=64,blocks=2,near_items=128"});
  return labelled({"threads=64,blocks=2,near_items=128,ell_width=4", "threads=32,blocks=2,near_items=128"});
}

/// Time in which the distances of a single search are copied to the host and read there.
constexpr double row_ms_per_vertex = 1.5e-6;
/// Ratio of the expected times from which on single searches are preferred.
constexpr double least_gain_of_single_searches = 2;

constexpr std::array<std::string_view, 4> read_features{"m", "nnz", "max_nnz", "hops"};

/// Configurations of one class, with its expected cost.
struct class_candidates {
  search_class kind;
  std::string_view name;
  std::vector<problems::named_candidate> candidates;
  std::optional<expected_cost> cost = std::nullopt;  ///< nothing: no expectation
  order_source order = order_source::computed;
};

std::string duration_text(double ms) {
  if (ms >= 999.5) return fmt::format("{:.2g} s", ms / 1000);
  return ms >= 99.5 ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.2g} ms", ms);
}

/// Rounds to two digits.
std::string count_text(double count) {
  const double digit = std::pow(10.0, std::max(0.0, std::floor(std::log10(count)) - 1));
  return fmt::format("{:.0f}", std::ceil(count / digit) * digit);
}

/// Describes the cutoff of the searches.
std::string reached_text(const problems::recommendation_request& request) {
  if (request.reaches_all) return "";
  if (!request.reached_share) return " with a cutoff";
  const double percent = 100 * *request.reached_share;
  return fmt::format(" that reach {} of the vertices",
                     percent >= 10 ? fmt::format("{:.0f} %", percent) : fmt::format("{:.2g} %", percent));
}

/// Describes what is known of the elimination of a graph with hubs.
std::string arc_bound_text(const cost_features& features) {
  if (std::isnan(features.arc_bound)) return "";
  return suits_hierarchy(features)
             ? fmt::format("; an elimination by degree needs at most {:.2g} arcs per vertex", features.arc_bound)
             : "; no hierarchy, because an elimination by degree has too many arcs";
}

/// Returns the number of processors that search; recorded_processors if it is unknown.
double processors_of(const backends::device_info& device) {
  return device.multiprocessors == 0 ? recorded_processors : device.multiprocessors;
}

std::string device_text(const backends::device_info& device) {
  if (device.grid) return "a Hopper GPU";
  const double processors = processors_of(device);
  return fmt::format("{} processor{}", processors, processors == 1 ? "" : "s");
}

/// Describes why a class is chosen, and from how many searches on another one would be. @param classes the best first
std::string reason_for(const std::vector<class_candidates>& classes, const cost_features& features,
                       const problems::recommendation_question& question) {
  const problems::recommendation_request& request = question.request;
  const auto searches = static_cast<double>(request.searches);
  const expected_cost& chosen = *classes.front().cost;
  // Without an estimate, a cutoff may make searches faster than expected.
  const bool is_bound = !request.reaches_all && !request.reached_share && !has_hierarchy(classes.front().kind);
  std::string reason = fmt::format(
      "{}: {}{} expected for {} search{}{}{} on {}", classes.front().name, is_bound ? "at most " : "",
      duration_text(chosen.milliseconds(searches)), searches, searches == 1 ? "" : "es", reached_text(request),
      request.calls > 1 ? fmt::format(" in {} calls", request.calls) : std::string(), device_text(question.device));
  if (classes.front().order == order_source::cache_folder) reason += ", with the order from the cache folder";
  for (std::size_t i = 1; i < classes.size(); ++i) {
    if (!classes[i].cost || is_bound) continue;
    const std::optional<double> least_searches = searches_to_pay(chosen, *classes[i].cost);
    if (least_searches && *least_searches > searches)
      reason += fmt::format("; {} would pay from {} searches on", classes[i].name, count_text(*least_searches));
  }
  reason += arc_bound_text(features);
  if (!question.device.grid || !request.reaches_all || classes.front().kind == search_class::one_at_a_time)
    return reason;
  const auto single = expected_cost_of(search_class::one_at_a_time, features);
  if (single && single->milliseconds(searches) < chosen.milliseconds(searches))
    reason += fmt::format("; one search at a time would take {}", duration_text(single->milliseconds(searches)));
  return reason;
}

double expected_ms(const std::optional<expected_cost>& cost, double searches) {
  return cost ? cost->milliseconds(searches) : std::numeric_limits<double>::infinity();
}

/// Returns the expected cost of a class for the calls of a request.
std::optional<expected_cost> cost_for(search_class kind, const cost_features& features,
                                      const problems::recommendation_question& question,
                                      order_source order = order_source::computed) {
  const problems::recommendation_request& request = question.request;
  std::optional<expected_cost> cost = expected_cost_of(kind, features, order);
  if (!cost) return cost;
  if (kind == search_class::one_at_a_time) cost->each_ms += row_ms_per_vertex * features.vertices;
  cost = cost->of_share(time_share(kind, request.reached_share.value_or(1)));
  if (!question.device.grid) cost = cost->on_processors(processors_of(question.device));
  if (request.calls < 2) return cost;
  return cost->in_calls_of(static_cast<double>(request.searches) / static_cast<double>(request.calls));
}

/// Returns the graph of a question; null if it is not loaded.
const graph::csr_graph* graph_of(const problems::recommendation_question& question) {
  const auto* const loaded = dynamic_cast<const problems::graph_workload*>(question.workload.loaded);
  return loaded == nullptr ? nullptr : &loaded->graph;
}

bool is_order_kept(const problems::recommendation_question& question) {
  const graph::csr_graph* const graph = graph_of(question);
  return graph != nullptr && graph::has_kept_order(*graph);
}

bool has_float_weights(const problems::recommendation_question& question) {
  const graph::csr_graph* const graph = graph_of(question);
  return graph != nullptr && graph->weights() != graph::weight_type::uint32;
}

/// Expects the time of a hierarchy whose order is in the cache folder, if that would make it the best class. Only then
/// the cache is searched, because this reads all edges.
void look_for_order(std::vector<class_candidates>& classes, const cost_features& features,
                    const problems::recommendation_question& question) {
  const auto searches = static_cast<double>(question.request.searches);
  double least = std::numeric_limits<double>::infinity();
  for (const class_candidates& each : classes) least = std::min(least, expected_ms(each.cost, searches));
  for (class_candidates& each : classes) {
    if (!each.cost || expected_ms(each.cost, searches) == least) continue;
    const auto with_order = cost_for(each.kind, features, question, order_source::cache_folder);
    if (expected_ms(with_order, searches) >= least || !is_order_kept(question)) continue;
    each.cost = with_order;
    each.order = order_source::cache_folder;
  }
}

/// Orders the classes by their expected time for this number of searches; those without an expectation come last.
std::vector<problems::named_candidate> ordered_by_cost(std::vector<class_candidates> classes,
                                                       const cost_features& features,
                                                       const problems::recommendation_question& question) {
  const auto searches = static_cast<double>(question.request.searches);
  for (class_candidates& each : classes) each.cost = cost_for(each.kind, features, question);
  look_for_order(classes, features, question);
  std::ranges::stable_sort(classes, {}, [&](const class_candidates& each) { return expected_ms(each.cost, searches); });
  if (question.request.may_search_one_by_one && question.device.grid) {
    class_candidates single{
        search_class::one_at_a_time, "one search at a time", {{.label = "", .is_one_by_one = true}}};
    single.cost = cost_for(single.kind, features, question);
    // Expected times err by a factor of two.
    const double most_ms = expected_ms(classes.front().cost, searches) / least_gain_of_single_searches;
    if (single.cost && expected_ms(single.cost, searches) <= most_ms)
      classes.insert(classes.begin(), std::move(single));
  }
  if (classes.front().cost) classes.front().candidates.front().reason = reason_for(classes, features, question);
  std::vector<problems::named_candidate> result;
  for (class_candidates& each : classes) std::ranges::move(each.candidates, std::back_inserter(result));
  return result;
}

/// Returns the least expected time of these classes.
double least_ms(std::initializer_list<search_class> kinds, const cost_features& features,
                const problems::recommendation_question& question) {
  double least = std::numeric_limits<double>::infinity();
  for (const search_class kind : kinds)
    least = std::min(least,
                     expected_ms(cost_for(kind, features, question), static_cast<double>(question.request.searches)));
  return least;
}

/// Computes the bound of arcs if it decides whether a hierarchy is the best class.
void look_for_arc_bound(cost_features& features, const problems::recommendation_question& question) {
  const auto* const loaded = dynamic_cast<const problems::graph_workload*>(question.workload.loaded);
  if (!needs_arc_bound(features) || loaded == nullptr) return;
  const bool on_device = question.device.grid;
  const double others_ms = on_device ? least_ms({search_class::block, search_class::group}, features, question)
                                     : least_ms({search_class::cpu_dijkstra}, features, question);
  cost_features with_few_arcs = features;
  with_few_arcs.arc_bound = 0;
  const double hierarchies_ms =
      on_device ? least_ms({search_class::hierarchy, search_class::supernode}, with_few_arcs, question)
                : least_ms({search_class::cpu_hierarchy}, with_few_arcs, question);
  if (!pays_arc_bound(features, others_ms, hierarchies_ms)) return;
  const graph::csr_graph& graph = loaded->graph;
  features.arc_bound = loaded->arc_bound == nullptr ? graph::arc_bound(graph) : loaded->arc_bound->value_for(graph);
}

/// @param adds_integers whether distances are sums of integers, which hierarchies need
std::vector<problems::named_candidate> candidates_for(const problems::recommendation_question& question,
                                                      bool adds_integers) {
  cost_features features{.vertices = question.feature("m"),
                         .edges = question.feature("nnz"),
                         .longest_row = question.feature("max_nnz"),
                         .hops = question.feature("hops")};
  const double degree = features.edges / std::max(features.vertices, 1.0);
  const bool has_hubs = features.longest_row >= least_hub_ratio * std::max(degree, 1.0);
  if (question.device.modelled && question.device.grid) return for_modelled(has_hubs);
  if (adds_integers) look_for_arc_bound(features, question);
  const bool sweeps = adds_integers && suits_hierarchy(features);
  std::vector<class_candidates> classes;
  if (!question.device.grid) {
    classes.push_back({search_class::cpu_dijkstra, "cpu_dijkstra", labelled({"solver=cpu_dijkstra"})});
    if (sweeps) classes.push_back({search_class::cpu_hierarchy, "cpu_hierarchy", labelled({"solver=cpu_hierarchy"})});
    return ordered_by_cost(std::move(classes), features, question);
  }
  const bool by_place = question.request.searches >= least_placed;
  // Blocks are the last resort for graphs with hubs.
  classes.push_back({search_class::block, "block",
                     has_hubs ? labelled({"threads=256,blocks=5,near_items=512"})
                     : degree > largest_degree_of_roads
                         ? for_meshes(by_place)
                         : for_roads(features.vertices >= least_large, degree >= least_degree_of_grids, by_place)});
  classes.push_back({search_class::group, "group", for_hubs()});
  if (has_hubs) std::swap(classes.front(), classes.back());  // the order if `hops` is unknown
  if (sweeps) {
    // Blocks of the first one need more shared memory than some devices have.
    classes.push_back({search_class::hierarchy, "hierarchy",
                       labelled({"solver=hierarchy,threads=256,blocks=2,lane_searches=4,slots=24,piece_vertices=256,"
                                 "round_groups=128",
                                 "solver=hierarchy,threads=128,blocks=4,lane_searches=4,slots=32,piece_vertices=256,"
                                 "round_groups=128"})});
    const std::size_t calls = std::max<std::size_t>(question.request.calls, 1);
    const std::size_t searches_per_call = 1 + (question.request.searches - 1) / calls;
    classes.push_back(
        {search_class::supernode, "supernode", for_supernodes(searches_per_call, features.vertices >= least_large)});
  }
  return ordered_by_cost(std::move(classes), features, question);
}

}  // namespace

std::optional<prepared_search> prepared_search_for(const cost_features& features, const graph::csr_graph& graph,
                                                   const backends::device_info& device) {
  if (!device.grid || device.modelled || !suits_hierarchy(features)) return std::nullopt;
  const order_source order = graph::has_kept_order(graph) ? order_source::cache_folder : order_source::computed;
  const auto cost = expected_cost_of(search_class::supernode, features, order);
  if (!cost) return std::nullopt;
  const double processors = std::max(1U, std::thread::hardware_concurrency());
  return prepared_search{.label = for_supernodes(1, features.vertices >= least_large).front().label,
                         .preparation_ms = cost->on_processors(processors).preparation_ms,
                         .search_ms = cost->first_ms + cost->each_ms};
}

const problems::recommendation_hook distance_recommendation{
    .features = read_features, .standard = [](const problems::recommendation_question& question) {
      return candidates_for(question, !has_float_weights(question));
    }};
const problems::recommendation_hook level_recommendation{
    .features = read_features,
    .standard = [](const problems::recommendation_question& question) { return candidates_for(question, true); }};

}  // namespace mlmq::multi_source
