// SPDX-License-Identifier: Apache-2.0
#include "problems/searches/solver_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <utility>

#include "graph/feature_samples.hpp"
#include "problems/searches/part_shapes.hpp"
#include "problems/searches/plan.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::problems {
namespace {

std::vector<named_candidate> labelled(std::initializer_list<const char*> labels) {
  std::vector<named_candidate> named;
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

std::vector<named_candidate> for_roads(bool is_large, bool is_grid, bool by_place) {
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

std::vector<named_candidate> for_meshes(bool by_place) {
  return by_place ? labelled({"threads=256,blocks=6,near_items=512,ell_width=8,delta=5,order=place",
                              "threads=128,blocks=12,near_items=512,ell_width=8,delta=8,order=place",
                              "threads=256,blocks=6,near_items=512,ell_width=8,delta=3,order=place"})
                  : labelled({"threads=256,blocks=6,near_items=512,ell_width=8,delta=3",
                              "threads=512,blocks=3,near_items=512,ell_width=8,delta=8",
                              "threads=256,blocks=4,near_items=512,ell_width=8,delta=8"});
}

std::vector<named_candidate> for_hubs() {
  return labelled({"solver=group,threads=1024,blocks=1,parts=11", "solver=group,threads=512,blocks=2,parts=22",
                   "solver=group,threads=1024,blocks=1,parts=4"});
}

/// Configurations of the solver `supernode` for this number of searches at a time.
std::vector<named_candidate> for_supernodes(std::size_t searches, bool is_large) {
  if (searches > 2) return labelled({"solver=supernode,threads=512,blocks=1,added_arcs=8,columns=4"});
  if (searches == 2) return labelled({"solver=supernode,threads=768,blocks=1,added_arcs=8,columns=2"});
  return is_large ? labelled({"solver=supernode,threads=1024,blocks=1,added_arcs=8,columns=1"})
                  : labelled({"solver=supernode,threads=768,blocks=1,added_arcs=8,columns=1"});
}

struct cost_of_reduction {
  graph::reduction_extent extent;
  expected_cost cost;
};

/// Returns the reduction with the least expected time; nothing if searches of the whole graph are expected to take
/// less, with what the reduction takes.
std::optional<cost_of_reduction> best_reduction(const planned_searches& planned, std::string_view solver) {
  const std::optional<expected_cost> whole = cost_of_many(planned, solver, order_source::computed);
  const std::optional<expected_reduction>& reduction = planned.reduction;
  if (!whole || !reduction) return std::nullopt;
  const double share = std::min(1.0, 1 - reduction->share + share_to_fill_in());
  cost_of_reduction best{.extent = graph::reduction_extent::chains,
                         .cost = {.preparation_ms = whole->preparation_ms + reduction->milliseconds,
                                  .first_ms = whole->first_ms,
                                  .each_ms = share * whole->each_ms}};
  if (reduction->low_degree_ms) {
    expected_cost of_core = best.cost;
    of_core.preparation_ms += *reduction->low_degree_ms;
    of_core.each_ms *= search_share_without_low_degrees();
    if (planned.expected_ms(of_core) < planned.expected_ms(best.cost))
      best = {.extent = graph::reduction_extent::core, .cost = of_core};
  }
  return planned.expected_ms(best.cost) < planned.expected_ms(whole) ? std::optional(best) : std::nullopt;
}

/// Adds the best reduction to a label, if one is expected to pay.
std::string with_best_reduction(const planned_searches& planned, std::string_view solver, std::string label) {
  const std::optional<cost_of_reduction> best = best_reduction(planned, solver);
  return best ? fmt::format("{},reduction={}", label, graph::name_of(best->extent)) : std::move(label);
}

std::vector<named_candidate> labels_for_blocks(const planned_searches& planned, bool by_place) {
  // On a simulator, memory is small, and simulating a warp is slow.
  if (planned.is_simulated()) {
    return planned.has_hubs()
               ? labelled({"threads=64,blocks=2,near_items=128"})
               : labelled({"threads=64,blocks=2,near_items=128,ell_width=4", "threads=32,blocks=2,near_items=128"});
  }
  const double degree = planned.features.degree();
  const bool is_grid = degree >= least_degree_of_grids;
  // Blocks are the last resort for graphs with hubs.
  return planned.has_hubs()                 ? labelled({"threads=256,blocks=5,near_items=512"})
         : degree > largest_degree_of_roads ? for_meshes(by_place)
                                            : for_roads(planned.features.vertices >= least_large, is_grid, by_place);
}

std::vector<named_candidate> for_blocks(const planned_searches& planned) {
  return labels_for_blocks(planned, planned.question.request.searches >= least_placed);
}

std::vector<named_candidate> for_blocks_of_core(const planned_searches& planned) {
  std::vector<named_candidate> candidates = labels_for_blocks(planned, false);
  for (named_candidate& candidate : candidates)
    candidate.label = with_best_reduction(planned, "block", std::move(candidate.label));
  return candidates;
}

std::vector<named_candidate> for_groups(const planned_searches& planned) {
  if (planned.is_simulated())
    return planned.has_hubs() ? labelled({"solver=group,threads=64,blocks=1,parts=2"}) : std::vector<named_candidate>();
  return for_hubs();
}

/// Blocks of the first one need more shared memory than some devices have.
std::vector<named_candidate> for_hierarchies(const planned_searches& /*planned*/) {
  return labelled(
      {"solver=hierarchy,threads=256,blocks=2,lane_searches=4,slots=24,piece_vertices=256,round_groups=128",
       "solver=hierarchy,threads=128,blocks=4,lane_searches=4,slots=32,piece_vertices=256,round_groups=128"});
}

std::vector<named_candidate> for_calls_of_supernodes(const planned_searches& planned) {
  const double searches = std::ceil(planned.searches() / planned.calls());
  return for_supernodes(static_cast<std::size_t>(searches), planned.features.vertices >= least_large);
}

bool may_sweep(const planned_searches& planned) {
  return planned.adds_integers() && !planned.is_simulated() && suits_hierarchy(planned.features);
}

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

/// The default for distances of 8 bytes, because the multi-level queue supports only 4.
constexpr const char* wide_default = "solver=near_far";

std::vector<named_candidate> in_parts(const planned_searches& planned) {
  const graph_split split = planned.question.request.split;
  if (split == graph_split::never || planned.graph == nullptr) return {};
  std::optional<std::string> label = part_search_for(*planned.graph, planned.question.device);
  if (!label) return {};
  return {{.label = *std::move(label),
           .reason = split == graph_split::requested
                         ? "the graph in parts, as requested"
                         : "the graph in parts: its searches have taken as long as splitting it"}};
}

/// Breadth-first search by levels, unless the model has such candidates.
std::vector<named_candidate> by_levels(const planned_searches& planned) {
  const auto is_in_levels = [](const recommended_configuration& next) {
    const solver_traits& solver = solver_named(solver_of(next.configuration));
    return solver.on_grid && solver.only_levels;
  };
  if (planned.kind != search_kind::bfs || planned.question.model == nullptr ||
      std::ranges::any_of(planned.ranked, is_in_levels))
    return {};
  std::optional<std::string> label = level_search_for(planned.features);
  if (!label) return {};
  return {{.label = *std::move(label),
           .reason = "pushed and pulled levels: the default for breadth-first search of a graph with hubs"}};
}

std::vector<named_candidate> with_queues(const planned_searches& planned) {
  const bool is_wide = planned.kind == search_kind::sssp && planned.graph != nullptr &&
                       planned.graph->weights() == graph::weight_type::float64;
  if (!is_wide) return {{.label = ""}};
  return {{.label = wide_default,
           .reason = "the default for distances of 8 bytes, which none of the selector's candidates supports"}};
}

/// Number of threads above which the width stays the same: times on more threads scatter too much to choose by them
/// (docs/notebook/processors.md).
constexpr double most_widening_threads = 8;

/// From this degree on, threads do not widen the buckets.
constexpr double dense_degree = 6.75;
/// Largest / average degree of graphs whose hubs reach many vertices at a time.
constexpr double least_wide_hub_ratio = 32;

/// Returns the bucket width, in average weights, for a number of useful threads. One thread needs little redundant
/// work. More threads need larger buckets to share if degrees are small, because then few vertices are reached at a
/// time, unless there are hubs.
double bucket_width(double degree, double threads, bool has_hubs) {
  auto [width, growth] = degree < 4.5            ? std::pair(0.5, 1.8)
                         : degree < dense_degree ? std::pair(0.25, 1.8)
                                                 : std::pair(0.125, 0.0);
  if (has_hubs) growth = 0;
  return std::exp2(std::round(std::log2(width * std::pow(std::min(threads, most_widening_threads), growth))));
}

processor_weights weights_of(const planned_searches& planned) {
  const graph_shape& shape = planned.shape;
  if (planned.kind == search_kind::bfs) return processor_weights::equal;
  if (!shape.has_equal_weights) return processor_weights::any;
  return shape.edges < dense_degree * shape.vertices ? processor_weights::equal_few_edges : processor_weights::equal;
}

thread_gain gain_of(const planned_searches& planned) {
  return gain_of_threads(planned.shape.items(), planned.question.device.multiprocessors, weights_of(planned));
}

std::vector<named_candidate> with_delta_stepping(const planned_searches& planned) {
  const graph_shape& shape = planned.shape;
  const double width =
      bucket_width(shape.edges / std::max(1.0, shape.vertices), gain_of(planned).useful, shape.has_wide_hubs);
  return {{.label = fmt::format("solver=delta_stepping,cpu_delta={}", width)}};
}

std::optional<expected_cost> cost_on_processors(const planned_searches& planned, std::string_view name,
                                                order_source /*order*/) {
  const double gain = solver_named(name).uses_all_threads ? gain_of(planned).speedup : 1;
  return expected_cost{
      .each_ms = expected_processor_ms(name, weights_of(planned), planned.shape.vertices, planned.shape.edges, gain)};
}

std::vector<named_candidate> for_processors(const planned_searches& planned) {
  return {{.label = with_best_reduction(planned, "cpu_dijkstra", "solver=cpu_dijkstra")}};
}

std::optional<expected_cost> cost_of_core(const planned_searches& planned, std::string_view solver,
                                          order_source /*order*/) {
  std::optional<cost_of_reduction> reduction = best_reduction(planned, solver);
  if (!reduction) return std::nullopt;
  for (const measured_searches& run : planned.question.request.measured) {
    if (run.solver == name_of_trials(solver, true))
      reduction->cost = reduction->cost.measured(static_cast<double>(run.searches), run.milliseconds);
  }
  return reduction->cost;
}

/// Returns the cost of searches of the core if they take less time, otherwise of the whole graph.
std::optional<expected_cost> cost_with_reduction(const planned_searches& planned, std::string_view solver,
                                                 order_source order) {
  const std::optional<cost_of_reduction> reduction = best_reduction(planned, solver);
  return reduction ? reduction->cost : cost_of_many(planned, solver, order);
}

constexpr std::array solver_rows{
    // Searches from one vertex.
    planned_solver{.name = "partitioned", .order = plan_order::before_model, .configurations = in_parts},
    planned_solver{.name = "push_pull", .order = plan_order::before_model, .configurations = by_levels},
    planned_solver{.name = default_solver, .configurations = with_queues},
    planned_solver{
        .name = "delta_stepping", .on_grid = false, .configurations = with_delta_stepping, .cost = cost_on_processors},
    planned_solver{.name = "dijkstra",
                   .on_grid = false,
                   .configurations = [](const planned_searches&) { return labelled({"solver=dijkstra"}); },
                   .cost = cost_on_processors},
    planned_solver{.name = "bfs",
                   .on_grid = false,
                   .suits = [](const planned_searches& planned) { return planned.kind == search_kind::bfs; },
                   .configurations = [](const planned_searches&) { return labelled({"solver=bfs"}); },
                   .cost = cost_on_processors},
    // Searches from many vertices.
    planned_solver{.name = "block", .many = true, .configurations = for_blocks, .cost = cost_of_many},
    planned_solver{
        .name = "block",
        .many = true,
        .of_core = true,
        .suits = [](const planned_searches& planned) { return best_reduction(planned, "block").has_value(); },
        .configurations = for_blocks_of_core,
        .cost = cost_of_core},
    planned_solver{.name = "group", .many = true, .for_hubs = true, .configurations = for_groups, .cost = cost_of_many},
    planned_solver{
        .name = "hierarchy", .many = true, .suits = may_sweep, .configurations = for_hierarchies, .cost = cost_of_many},
    planned_solver{
        .name = "supernode",
        .many = true,
        .suits = may_sweep,
        .configurations = for_calls_of_supernodes,
        .for_one_source = [](double vertices) { return for_supernodes(1, vertices >= least_large).front().label; },
        .cost = cost_of_many},
    planned_solver{.name = "cpu_dijkstra",
                   .many = true,
                   .on_grid = false,
                   .configurations = for_processors,
                   .cost = cost_with_reduction},
    planned_solver{.name = "cpu_hierarchy",
                   .many = true,
                   .on_grid = false,
                   .suits = may_sweep,
                   .configurations = [](const planned_searches&) { return labelled({"solver=cpu_hierarchy"}); },
                   .cost = cost_of_many},
};

}  // namespace

std::span<const planned_solver> planned_solvers() { return solver_rows; }

std::string name_of_trials(std::string_view solver, bool of_core) {
  return of_core ? fmt::format("{} of the core", solver) : std::string(solver);
}

bool planned_searches::adds_integers() const {
  return kind == search_kind::bfs || graph == nullptr || graph->weights() == graph::weight_type::uint32;
}

bool planned_searches::has_hubs() const {
  return features.longest_row >= least_hub_ratio * std::max(features.degree(), 1.0);
}

std::optional<expected_cost> cost_of_many(const planned_searches& planned, std::string_view solver,
                                          order_source order) {
  const recommendation_request& request = planned.question.request;
  if (planned.is_simulated()) return std::nullopt;
  std::optional<expected_cost> cost = expected_cost_of(solver, planned.features, order);
  if (!cost) return cost;
  if (solver == one_at_a_time) cost->each_ms += costs_of_one_by_one().row_ms_per_vertex * planned.features.vertices;
  cost = cost->of_share(time_share(solver, request.reached_share.value_or(1)));
  for (const measured_searches& run : request.measured) {
    if (run.solver == name_of_trials(solver, false))
      cost = cost->measured(static_cast<double>(run.searches), run.milliseconds);
  }
  return planned.on_grid() ? cost : cost->on_processors(planned.question.device.multiprocessors);
}

std::optional<std::string> level_search_for(const cost_features& features) {
  // A comparison with NaN is false.
  const bool has_hubs = features.longest_row >= least_hub;
  if (!has_hubs || std::isnan(features.edges) || features.hops > most_levels) return std::nullopt;
  if (features.edges < edges_for_many_threads) return "solver=push_pull,threads=512,blocks_per_multiprocessor=1";
  if (features.edges < edges_for_long_rows) return "solver=push_pull,threads=1024,blocks_per_multiprocessor=1";
  return "solver=push_pull,threads=1024,blocks_per_multiprocessor=1,long_row=512,piece_edges=64";
}

bool has_wide_hubs(double largest_ratio) { return largest_ratio > least_wide_hub_ratio; }

bool has_wide_hubs(const graph::csr_graph& graph) {
  const double vertices = graph.vertex_count();
  const double edges = static_cast<double>(graph.edge_count());
  if (is_for_one_thread(vertices + edges) || edges >= dense_degree * vertices) return false;
  const graph::vertex_id widest = graph::widest_vertex(graph);
  const graph::edge_offset largest_degree = graph.offsets()[widest + std::size_t{1}] - graph.offsets()[widest];
  return has_wide_hubs(static_cast<double>(largest_degree) / (std::max(1.0, edges) / vertices));
}

bool has_equal_weights(const graph::csr_graph& graph) {
  if (graph.weights() == graph::weight_type::float64) return false;
  const auto bits = graph.weight_bits();
  return std::ranges::adjacent_find(bits, std::ranges::not_equal_to()) == bits.end();
}

}  // namespace mlmq::problems
