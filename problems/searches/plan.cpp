// SPDX-License-Identifier: Apache-2.0
#include "problems/searches/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "graph/feature_list.hpp"
#include "graph/hierarchy/arc_bound.hpp"
#include "graph/hierarchy/kept_order.hpp"
#include "graph/partition.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/searches/cost_model.hpp"
#include "problems/searches/solver_table.hpp"
#include "problems/shortest_paths/device_reduction.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {
namespace {

/// A row of the table, with its expected cost.
struct ranked_solver {
  std::string_view name;
  bool of_core = false;
  bool for_hubs = false;
  std::vector<named_candidate> candidates;
  std::optional<expected_cost> cost = std::nullopt;  ///< nothing: no expectation
  order_source order = order_source::computed;
  double risk = 1;                 ///< see risk_of()
  std::size_t trial_searches = 0;  ///< see named_candidate

  [[nodiscard]] std::string name_for_users() const {
    return name == one_at_a_time ? "one search at a time" : name_of_trials(name, of_core);
  }
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
std::string reached_text(const recommendation_request& request) {
  if (request.reaches_all) return "";
  if (!request.reached_share) return " with a cutoff";
  const double percent = 100 * *request.reached_share;
  return fmt::format(" that reach {} of the vertices",
                     percent >= 10 ? fmt::format("{:.0f} %", percent) : fmt::format("{:.2g} %", percent));
}

/// Describes what is known of the elimination of a graph with hubs.
std::string arc_bound_text(const cost_features& features) {
  if (std::isnan(features.arc_bound)) return "";
  if (!suits_hierarchy(features)) return "; no hierarchy, because an elimination by degree has too many arcs";
  return fmt::format("; an elimination by degree needs at most {:.2g} arcs per vertex{}", features.arc_bound,
                     risk_of("hierarchy", features) > 1 ? ", so that a hierarchy may have too many" : "");
}

/// Describes the searches that the expected times are corrected by.
std::string measured_text(const recommendation_request& request) {
  std::string text;
  for (const measured_searches& run : request.measured) {
    if (!std::isfinite(run.milliseconds)) continue;
    text += fmt::format("{}{} {} in {}", text.empty() ? "; measured: " : ", ", run.searches, run.solver,
                        duration_text(run.milliseconds));
  }
  return text;
}

std::string device_text(const backends::device_info& device) {
  if (device.grid) return "a Hopper GPU";
  // A recorded device may have an unknown number.
  const double processors = device.multiprocessors == 0 ? recorded_processors() : device.multiprocessors;
  return fmt::format("{} processor{}", processors, processors == 1 ? "" : "s");
}

/// Describes why a solver of many searches is chosen, and from how many searches on another one would be.
/// @param solvers the best first
std::string reason_for(const std::vector<ranked_solver>& solvers, const planned_searches& planned) {
  const recommendation_request& request = planned.question.request;
  const double searches = planned.searches();
  const expected_cost& chosen = *solvers.front().cost;
  // Without an estimate, a cutoff may make searches faster than expected.
  const bool is_bound = !request.reaches_all && !request.reached_share && !sweeps_hierarchy(solvers.front().name);
  std::string reason = fmt::format("{}: {}{} expected for {} search{}{}{} on {}", solvers.front().name_for_users(),
                                   is_bound ? "at most " : "", duration_text(planned.expected_ms(chosen)), searches,
                                   searches == 1 ? "" : "es", reached_text(request),
                                   request.calls > 1 ? fmt::format(" in {} calls", request.calls) : std::string(),
                                   device_text(planned.question.device));
  if (solvers.front().order == order_source::cache_folder) reason += ", with the order from the cache folder";
  const auto in_calls = [&](const expected_cost& cost) {
    return request.calls > 1 ? cost.in_calls_of(searches / planned.calls()) : cost;
  };
  for (std::size_t i = 1; i < solvers.size(); ++i) {
    if (!solvers[i].cost || is_bound) continue;
    const std::optional<double> least_searches = searches_to_pay(in_calls(chosen), in_calls(*solvers[i].cost));
    if (least_searches && *least_searches > searches)
      reason +=
          fmt::format("; {} would pay from {} searches on", solvers[i].name_for_users(), count_text(*least_searches));
  }
  reason += measured_text(request);
  reason += arc_bound_text(planned.features);
  if (!planned.on_grid() || !request.reaches_all || solvers.front().name == one_at_a_time) return reason;
  const auto single = expected_cost_of(one_at_a_time, planned.features);
  if (planned.expected_ms(single) < planned.expected_ms(chosen))
    reason += fmt::format("; one search at a time would take {}", duration_text(planned.expected_ms(single)));
  return reason;
}

bool is_considered(const planned_solver& row, const planned_searches& planned, plan_order order) {
  return row.many == planned.many && row.on_grid == planned.on_grid() && row.order == order &&
         (row.suits == nullptr || row.suits(planned));
}

/// Expects the time of a hierarchy whose order is in the cache folder, if that would make it the best solver. Only then
/// the cache is searched, because this reads all edges.
void look_for_order(std::vector<ranked_solver>& solvers, const planned_searches& planned) {
  double least = std::numeric_limits<double>::infinity();
  for (const ranked_solver& each : solvers) least = std::min(least, planned.expected_ms(each.cost));
  for (ranked_solver& each : solvers) {
    if (!each.cost || !sweeps_hierarchy(each.name) || planned.expected_ms(each.cost) == least) continue;
    const auto with_order = cost_of_many(planned, each.name, order_source::cache_folder);
    if (planned.expected_ms(with_order) >= least || planned.graph == nullptr || !graph::has_kept_order(*planned.graph))
      continue;
    each.cost = with_order;
    each.order = order_source::cache_folder;
  }
}

/// Returns the least expected times of all searches without a hierarchy, and with one.
std::pair<double, double> least_ms_of_many(const planned_searches& planned) {
  std::pair least(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  for (const planned_solver& row : planned_solvers()) {
    if (!is_considered(row, planned, plan_order::after_model)) continue;
    double& least_ms = sweeps_hierarchy(row.name) ? least.second : least.first;
    least_ms = std::min(least_ms, planned.expected_ms(row.cost(planned, row.name, order_source::computed)));
  }
  return least;
}

/// Computes the bound of arcs if it decides whether a hierarchy is the best solver.
void look_for_arc_bound(planned_searches& planned) {
  const auto* const loaded = dynamic_cast<const graph_workload*>(planned.question.workload.loaded);
  if (!planned.adds_integers() || loaded == nullptr) return;
  const auto [others_ms, hierarchies_ms] = least_ms_of_many(planned);
  if (!needs_arc_bound(planned.features, others_ms, hierarchies_ms)) return;
  planned_searches with_few_arcs = planned;
  with_few_arcs.features.arc_bound = 1;
  if (!pays_arc_bound(planned.features, others_ms, least_ms_of_many(with_few_arcs).second)) return;
  const graph::csr_graph& graph = loaded->graph;
  planned.features.arc_bound =
      loaded->arc_bound == nullptr ? graph::arc_bound(graph) : loaded->arc_bound->value_for(graph);
}

/// Returns the cost of the next trial of a solver, and of the alternatives; nothing: there is none.
/// @param solvers the best first
std::optional<trial_costs> costs_of_trial(const std::vector<ranked_solver>& solvers, std::size_t tried,
                                          std::size_t trials, const planned_searches& planned) {
  const std::optional<std::size_t> count = trial_searches(solvers[tried].name, trials);
  if (!count || 4 * *count > planned.question.request.triable_searches) return std::nullopt;
  const expected_cost& cost = *solvers[tried].cost;
  const std::size_t rival = tried == 0 ? 1 : 0;
  const auto all_ms = [&](std::size_t i) { return solvers[i].risk * planned.expected_ms(solvers[i].cost); };
  return trial_costs{
      .searches = *count,
      .trial_ms = (trials == 0 ? cost.preparation_ms : 0) + cost.first_ms + static_cast<double>(*count) * cost.each_ms,
      .solver_ms = all_ms(tried),
      .others_ms = rival < solvers.size() ? all_ms(rival) : std::numeric_limits<double>::infinity(),
      .best_ms = all_ms(0)};
}

/// Puts a solver first, for some of the searches, if their time may show which one is the best.
/// @param solvers the best first
void consider_trial(std::vector<ranked_solver>& solvers, const planned_searches& planned) {
  const recommendation_request& request = planned.question.request;
  if (request.triable_searches == 0 || !planned.on_grid() || solvers.front().name == one_at_a_time) return;
  const auto put_first = [&](std::size_t i) {
    const auto begin = solvers.begin();
    std::rotate(begin, begin + static_cast<std::ptrdiff_t>(i), begin + static_cast<std::ptrdiff_t>(i) + 1);
  };
  const auto trials_of = [&](const ranked_solver& solver) {
    return static_cast<std::size_t>(
        std::ranges::count(request.measured, solver.name_for_users(), &measured_searches::solver));
  };
  for (std::size_t i = 0; i < solvers.size() && solvers[i].cost; ++i) {
    const std::size_t trials = trials_of(solvers[i]);
    const std::optional<trial_costs> costs = costs_of_trial(solvers, i, trials, planned);
    // How much faster searches of the core are depends on the pieces of the graph, which are not known.
    const bool needs_trial = i == 0 && solvers[i].of_core && trials == 0;
    if (!costs || !(needs_trial ? is_short(*costs) : is_worth_trying(*costs, trials))) continue;
    put_first(i);
    solvers.front().trial_searches = costs->searches;
    return;
  }
  for (std::size_t i = 1; i < solvers.size() && solvers.front().of_core && trials_of(solvers.front()) == 0; ++i) {
    if (!solvers[i].of_core) put_first(i);
  }
}

/// Puts single searches first if they are expected to be faster by more than the errors of expected costs.
void consider_one_by_one(std::vector<ranked_solver>& solvers, const planned_searches& planned) {
  if (!planned.question.request.may_search_one_by_one || !planned.on_grid()) return;
  ranked_solver single{.name = one_at_a_time,
                       .candidates = {{.label = "", .is_one_by_one = true}},
                       .cost = cost_of_many(planned, one_at_a_time)};
  const double most_ms = planned.expected_ms(solvers.front().cost) / costs_of_one_by_one().least_gain;
  if (single.cost && planned.expected_ms(single.cost) <= most_ms) solvers.insert(solvers.begin(), std::move(single));
}

/// Orders the solvers by their expected time; those without an expectation come last.
std::vector<ranked_solver> rank_solvers(const planned_searches& planned) {
  std::vector<ranked_solver> solvers;
  for (const planned_solver& row : planned_solvers()) {
    if (!is_considered(row, planned, plan_order::after_model)) continue;
    solvers.push_back(
        {.name = row.name,
         .of_core = row.of_core,
         .for_hubs = row.for_hubs,
         .candidates = row.configurations(planned),
         .cost = row.cost == nullptr ? std::nullopt : row.cost(planned, row.name, order_source::computed)});
  }
  if (planned.many) look_for_order(solvers, planned);
  const bool has_hubs = planned.has_hubs();
  for (ranked_solver& each : solvers) each.risk = planned.many ? risk_of(each.name, planned.features) : 1;
  std::ranges::stable_sort(solvers, {}, [&](const ranked_solver& each) {
    return std::pair(each.risk * planned.expected_ms(each.cost), each.for_hubs != has_hubs);
  });
  if (planned.many) {
    consider_one_by_one(solvers, planned);
    consider_trial(solvers, planned);
  }
  return solvers;
}

const graph::csr_graph* graph_of(const recommendation_question& question) {
  const auto* const loaded = dynamic_cast<const graph_workload*>(question.workload.loaded);
  return loaded == nullptr ? nullptr : &loaded->graph;
}

cost_features cost_features_of(const std::function<double(std::string_view)>& feature) {
  return {
      .vertices = feature("m"), .edges = feature("nnz"), .longest_row = feature("max_nnz"), .hops = feature("hops")};
}

planned_searches searches_of(search_kind kind, bool many, const recommendation_question& question,
                             std::span<const recommended_configuration> ranked = {}) {
  const auto feature = [&](std::string_view name) {
    return many ? question.feature(name) : question.model_feature(name);
  };
  planned_searches planned{.kind = kind,
                           .many = many,
                           .question = question,
                           .ranked = ranked,
                           .graph = graph_of(question),
                           .features = cost_features_of(feature)};
  if (many && planned.graph != nullptr && !planned.is_simulated())
    planned.reduction = expect_reduction(*planned.graph, kind, question.device);
  if (planned.on_grid() || many) return planned;
  // A loaded graph provides its shape itself, without computing features.
  if (const graph::csr_graph* const graph = planned.graph) {
    planned.shape = {.vertices = static_cast<double>(graph->vertex_count()),
                     .edges = static_cast<double>(graph->edge_count()),
                     .has_equal_weights = kind == search_kind::sssp && graph->is_fetched() && has_equal_weights(*graph),
                     .has_wide_hubs = graph->is_fetched() && has_wide_hubs(*graph)};
  } else {
    planned.shape = {.vertices = question.feature("m"),
                     .edges = question.feature("nnz"),
                     .has_equal_weights = question.feature("weight_variation") == 0,
                     .has_wide_hubs = has_wide_hubs(question.feature("hub_ratio"))};
  }
  return planned;
}

template <search_kind kind>
std::vector<named_candidate> before_model(const recommendation_question& question,
                                          std::span<const recommended_configuration> ranked) {
  const planned_searches planned = searches_of(kind, false, question, ranked);
  std::vector<named_candidate> named;
  for (const planned_solver& row : planned_solvers()) {
    if (is_considered(row, planned, plan_order::before_model))
      std::ranges::move(row.configurations(planned), std::back_inserter(named));
  }
  return named;
}

template <search_kind kind, bool many>
std::vector<named_candidate> after_model(const recommendation_question& question) {
  planned_searches planned = searches_of(kind, many, question);
  if (many && !planned.is_simulated()) look_for_arc_bound(planned);
  std::vector<ranked_solver> solvers = rank_solvers(planned);
  if (many && solvers.front().cost) {
    const std::string reason = reason_for(solvers, planned);
    for (named_candidate& candidate : solvers.front().candidates) candidate.reason = reason;
  }
  const unsigned threads = question.device.multiprocessors;
  std::vector<named_candidate> named;
  for (ranked_solver& solver : solvers) {
    for (named_candidate& candidate : solver.candidates) {
      candidate.trial_searches = solver.trial_searches;
      candidate.trial_of = solver.trial_searches > 0 ? solver.name_for_users() : "";
      if (solver.cost) candidate.expected_ms = planned.expected_ms(solver.cost);
      if (!many && solver.cost) {
        candidate.reason = fmt::format("{} on {} thread{}, by the size of the graph: {:.2g} ms",
                                       named.empty() ? "the fastest expected search" : "the next expected search",
                                       threads, threads == 1 ? "" : "s", solver.cost->each_ms);
      }
      named.push_back(std::move(candidate));
    }
  }
  return named;
}

std::shared_ptr<const selector::ranking_model> shipped(const backends::device_info& device) {
  return device.grid ? selector::shipped_ranking_model("sssp") : nullptr;
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
  const graph::csr_graph* const graph = graph_of(question);
  const bool is_narrow = kind == search_kind::bfs || graph == nullptr;
  return supports_weight_type(solver_of(chosen), is_narrow ? graph::weight_type::uint32 : graph->weights());
}

constexpr std::array<std::string_view, 4> features_of_many{"m", "nnz", "max_nnz", "hops"};

template <search_kind kind>
constexpr recommendation_hook plan_of_one{.shipped = shipped,
                                          .related_problem = kind == search_kind::bfs ? "sssp" : "",
                                          .adjust = kind == search_kind::bfs ? take_unit_weights : nullptr,
                                          .fits = fits<kind>,
                                          .by_rule = before_model<kind>,
                                          .standard = after_model<kind, false>};
template <search_kind kind>
constexpr recommendation_hook plan_of_many{.features = features_of_many, .standard = after_model<kind, true>};

}  // namespace

const recommendation_hook& search_plan(search_kind kind, bool many) {
  if (kind == search_kind::bfs) return many ? plan_of_many<search_kind::bfs> : plan_of_one<search_kind::bfs>;
  return many ? plan_of_many<search_kind::sssp> : plan_of_one<search_kind::sssp>;
}

double transfer_ms(const transfer_cost& cost, double vertices, double edges, bool weighted, bool is_resident) {
  const double answer = cost.copy_ms(1, 4 * vertices);
  if (is_resident) return answer;
  const double offset_bytes = edges > static_cast<double>(std::numeric_limits<std::uint32_t>::max()) ? 8 : 4;
  return answer + cost.copy_ms(3, offset_bytes * (vertices + 1) + (weighted ? 8 : 4) * edges);
}

std::optional<prepared_search> prepared_search_for(const std::function<double(std::string_view)>& feature,
                                                   const graph::csr_graph& graph, const backends::device_info& device) {
  const cost_features features = cost_features_of(feature);
  if (!device.grid || device.modelled || !suits_hierarchy(features)) return std::nullopt;
  const order_source order = graph::has_kept_order(graph) ? order_source::cache_folder : order_source::computed;
  const double processors = std::max(1U, std::thread::hardware_concurrency());
  std::optional<prepared_search> fastest;
  for (const planned_solver& row : planned_solvers()) {
    if (!row.on_grid || row.for_one_source == nullptr) continue;
    const auto cost = expected_cost_of(row.name, features, order);
    if (!cost || (fastest && fastest->search_ms <= cost->first_ms + cost->each_ms)) continue;
    fastest = {.label = row.for_one_source(features.vertices),
               .preparation_ms = cost->on_processors(processors).preparation_ms,
               .search_ms = cost->first_ms + cost->each_ms};
  }
  return fastest;
}

namespace {

double split_ms(const graph::csr_graph& graph, bool has_hubs) {
  return expected_split_ms(static_cast<double>(graph.vertex_count() + graph.edge_count()), has_hubs,
                           std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

double expected_split_ms(const graph::csr_graph& graph) {
  // Rows that are only on the device are not fetched.
  return split_ms(graph, !graph.is_fetched() || graph::has_hub(graph));
}

double least_split_ms(const graph::csr_graph& graph) { return split_ms(graph, false); }

namespace {

/// Returns whether a vertex has at most two neighbours, judging by its own row: if an edge does not lead back, as in
/// directed graphs, the vertex is assumed to have as many edges from other vertices.
[[nodiscard]] bool has_few_neighbours(const graph::csr_graph& graph, graph::vertex_id v) {
  constexpr graph::edge_offset most_looked_at = 64;
  const auto row_of = [&](graph::vertex_id u) {
    const graph::edge_offset first = graph.offsets()[u];
    const graph::edge_offset end = graph.offsets()[u + std::size_t{1}];
    return graph.targets().subspan(first, std::min(end - first, most_looked_at));
  };
  const auto row = row_of(v);
  if (row.size() > 2) return false;
  const auto leads_back = [&](graph::vertex_id u) { return std::ranges::find(row_of(u), v) != row_of(u).end(); };
  return row.size() <= 1 || std::ranges::all_of(row, leads_back);
}

[[nodiscard]] bool can_reduce(const graph::csr_graph& graph, search_kind kind, const backends::device_info& device) {
  return kind != search_kind::bfs && graph.weights() == graph::weight_type::uint32 && graph.is_fetched() &&
         (!device.grid || can_reduce_on_device(device, graph));
}

}  // namespace

std::optional<double> expect_low_degree_reduction(const graph::csr_graph& graph, search_kind kind,
                                                  const backends::device_info& device) {
  if (!device.grid || !can_reduce(graph, kind, device)) return std::nullopt;
  return expected_low_degree_ms(static_cast<double>(graph.vertex_count()), static_cast<double>(graph.edge_count()),
                                /*on_gpu=*/true, std::max(1U, device.multiprocessors));
}

std::optional<expected_reduction> expect_reduction(const graph::csr_graph& graph, search_kind kind,
                                                   const backends::device_info& device) {
  if (!can_reduce(graph, kind, device)) return std::nullopt;
  constexpr graph::vertex_id most_samples = 1024;
  const graph::vertex_id vertices = graph.vertex_count();
  const graph::vertex_id step = std::max(1U, vertices / most_samples);
  unsigned samples = 0;
  unsigned low_degrees = 0;
  for (graph::vertex_id v = step / 2; v < vertices; v += step) {
    ++samples;
    low_degrees += has_few_neighbours(graph, v) ? 1 : 0;
  }
  // An eliminated vertex takes an edge of each direction with it.
  const auto edges = static_cast<double>(graph.edge_count());
  const double items = vertices + edges;
  const double removed = samples == 0 ? 0 : static_cast<double>(vertices) * low_degrees / samples;
  const double share = samples == 0 ? 0 : std::min(1.0, 3 * removed / items);
  if (share < least_share_to_reduce()) return std::nullopt;
  const double threads = std::max(1U, device.multiprocessors);
  return expected_reduction{.milliseconds = expected_reduction_ms(items, device.grid, threads),
                            .share = share,
                            .low_degree_ms = expected_low_degree_ms(
                                vertices - removed, std::max(0.0, edges - 2 * removed), device.grid, threads)};
}

}  // namespace mlmq::problems
