// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/rules/processor_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

namespace mlmq::problems {
namespace {

/// Time of one thread in nanoseconds: linear in vertices and edges, with slopes that grow when the graph exceeds the
/// caches.
struct thread_cost {
  double fixed = 0;
  double vertex = 0;
  double edge = 0;
  double vertex_per_doubling = 0;       ///< added per doubling of the graph from `cached_items` to 16 times that size
  double edge_per_doubling = 0;         ///< added per such doubling
  double vertex_per_late_doubling = 0;  ///< added per further doubling

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

/// Fitted to 63 generated graphs of 64 to 262,144 vertices, one thread of an AMD EPYC (docs/notebook/processors.md).
struct kind_costs {
  thread_cost dijkstra;
  thread_cost delta_stepping;
};
constexpr kind_costs weighted_costs{.dijkstra = {700, 20.6, 0.51, 3.7, 0.21, 6.5},
                                    .delta_stepping = {1070, 15, 1.17, 0, 0.29, 4.9}};
constexpr kind_costs unit_costs{.dijkstra = {1730, 6, 0.16, 2.7, 0.12, 7.5},
                                .delta_stepping = {3430, 6.7, 0.56, 0.15, 0.05, 4.5}};
/// For weights that are all equal, to roads, triangulations and grids of 1,000 to 640,000 vertices.
constexpr kind_costs equal_costs{.dijkstra = {500, 6, 0.16, 1.8, 0.12, 6.5},
                                 .delta_stepping = {1000, 9, 0.56, 2.2, 0.05, 2.5}};
constexpr thread_cost bfs_cost{1850, 9.2, 0.03, 1.7, 0, 3.8};

/// Number of vertices and edges per thread; searches of smaller graphs use fewer threads.
constexpr double items_per_thread = 8192;
/// With equal weights a bucket is a level, and levels of sparse graphs are small.
constexpr double items_per_thread_of_levels = 4 * items_per_thread;
/// Gain per additional thread, in threads: 16 threads are 4 to 7 times as fast as one (docs/notebook/processors.md).
constexpr double thread_efficiency = 0.3;

/// Returns the equivalent number of threads that never wait for cache lines written by others, like
/// backends/cpu/searches/bucket_phases.hpp.
double useful_threads(double items, unsigned threads, double items_per_useful_thread) {
  const double sharing_factor = items < 1 << 20 ? 2.0 : 1.4;
  return std::clamp(items / items_per_useful_thread, 1.0, std::max(1.0, threads / sharing_factor));
}

/// Number of threads above which the width stays the same: times on more threads scatter too much to choose by them
/// (docs/notebook/processors.md).
constexpr double most_widening_threads = 8;

/// From this degree on, threads do not widen the buckets.
constexpr double dense_degree = 6.75;
/// Largest / average degree of graphs whose hubs reach many vertices at a time.
constexpr double least_hub_ratio = 32;

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

}  // namespace

std::vector<processor_search> rank_processor_searches(search_kind kind, const graph_shape& graph, unsigned threads) {
  const auto [vertices, edges, has_equal_weights, has_hubs] = graph;
  const double degree = edges / std::max(1.0, vertices);
  const bool has_small_levels = kind == search_kind::sssp && has_equal_weights && degree < dense_degree;
  const double useful =
      useful_threads(vertices + edges, threads, has_small_levels ? items_per_thread_of_levels : items_per_thread);
  const double speedup = 1 + thread_efficiency * (useful - 1);
  const kind_costs& costs = has_small_levels                                ? equal_costs
                            : kind == search_kind::bfs || has_equal_weights ? unit_costs
                                                                            : weighted_costs;
  std::vector<processor_search> ranked;
  ranked.push_back({.label = fmt::format("solver=delta_stepping,cpu_delta={}", bucket_width(degree, useful, has_hubs)),
                    .expected_ms = costs.delta_stepping.milliseconds(vertices, edges) / speedup});
  ranked.push_back({.label = "solver=dijkstra", .expected_ms = costs.dijkstra.milliseconds(vertices, edges)});
  if (kind == search_kind::bfs)
    ranked.push_back({.label = "solver=bfs", .expected_ms = bfs_cost.milliseconds(vertices, edges) / speedup});
  std::ranges::stable_sort(ranked, {}, &processor_search::expected_ms);
  return ranked;
}

bool has_hubs(double largest_ratio) { return largest_ratio > least_hub_ratio; }

bool has_hubs(const graph::csr_graph& graph) {
  const double vertices = graph.vertex_count();
  const double edges = static_cast<double>(graph.edge_count());
  if (vertices + edges < 2 * items_per_thread || edges >= dense_degree * vertices) return false;
  const std::span<const graph::edge_offset> offsets = graph.offsets();
  const double average_degree = std::max(1.0, edges) / vertices;
  return std::ranges::adjacent_find(offsets, [&](graph::edge_offset begin, graph::edge_offset end) {
           return has_hubs(static_cast<double>(end - begin) / average_degree);
         }) != offsets.end();
}

bool has_equal_weights(const graph::csr_graph& graph) {
  if (graph.weights() == graph::weight_type::float64) return false;
  const auto bits = graph.weight_bits();
  return std::ranges::adjacent_find(bits, std::ranges::not_equal_to()) == bits.end();
}

}  // namespace mlmq::problems
