// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/sequential_betweenness.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "backends/cpu/searches/layout.hpp"
#include "problems/multi_source/sequential_search.hpp"

namespace mlmq::betweenness {

struct sequential_betweenness::state {
  cpu::search_graph graph;
  multi_source::sequential_search search;
  std::vector<double> paths = std::vector<double>(graph.vertices);
  std::vector<std::uint32_t> waiting = std::vector<std::uint32_t>(graph.vertices);
  std::vector<graph::vertex_id> order = {};
  std::vector<fixed_score> scores = std::vector<fixed_score>(graph.vertices);
  cpu::work_counts work = {};
};

namespace {

/// Passes over vertices and edges after the search.
constexpr std::uint64_t passes = 3;

/// Returns whether an edge is part of a shortest path.
template <class Layout>
bool is_tight(std::span<const graph::distance_bits> distances, graph::vertex_id vertex,
              typename Layout::edge_word edge) {
  return distances[Layout::target(edge)] == Layout::extend(distances[vertex], edge);
}

graph::distance_bits saturated(graph::weight_type type) {
  return type == graph::weight_type::uint32
             ? graph::saturated_distance
             : std::bit_cast<graph::distance_bits>(std::numeric_limits<float>::infinity());
}

/// Counts the shortest paths to each vertex and orders vertices so that each one follows the sources of its tight
/// in-edges.
template <class Layout>
path_fault count_paths(const Layout& graph, graph::vertex_id source, std::span<const graph::distance_bits> distances,
                       std::vector<double>& paths, std::vector<std::uint32_t>& waiting,
                       std::vector<graph::vertex_id>& order, std::uint64_t& edges) {
  std::ranges::fill(waiting, 0);
  order.clear();
  std::size_t reached = 0;
  for (graph::vertex_id v = 0; v < distances.size(); ++v) {
    if (distances[v] == graph::unreached) continue;
    if (distances[v] >= saturated(Layout::traits::type)) return path_fault::too_far;
    ++reached;
    edges += static_cast<std::uint64_t>(graph.row_end(v) - graph.row_begin(v));
    paths[v] = 0;
    for (const auto* edge = graph.row_begin(v); edge != graph.row_end(v); ++edge) {
      if (is_tight<Layout>(distances, v, *edge)) ++waiting[Layout::target(*edge)];
    }
  }
  if (waiting[source] != 0) return path_fault::cycle;
  paths[source] = 1;
  order.assign(1, source);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const graph::vertex_id v = order[i];
    if (paths[v] > most_paths) return path_fault::too_many;
    for (const auto* edge = graph.row_begin(v); edge != graph.row_end(v); ++edge) {
      if (!is_tight<Layout>(distances, v, *edge)) continue;
      const graph::vertex_id target = Layout::target(*edge);
      paths[target] += paths[v];
      if (--waiting[target] == 0) order.push_back(target);
    }
  }
  return order.size() == reached ? path_fault::none : path_fault::cycle;
}

/// Adds scores from the last vertex to the source. Replaces paths by (1 + score) / paths, like
/// multi_source/betweenness.cu.
template <class Layout>
void add_scores(const Layout& graph, std::span<const graph::distance_bits> distances,
                std::span<const graph::vertex_id> order, bool endpoints, const score_units& units,
                std::vector<double>& paths, std::vector<fixed_score>& scores) {
  for (std::size_t i = order.size(); i-- > 0;) {
    const graph::vertex_id v = order[i];
    double sum = 0;
    for (const auto* edge = graph.row_begin(v); edge != graph.row_end(v); ++edge) {
      if (is_tight<Layout>(distances, v, *edge)) sum += paths[Layout::target(*edge)];
    }
    const double score = paths[v] * sum;
    paths[v] = (1 + score) / paths[v];
    double counted = score + (endpoints ? 1 : 0);
    if (i == 0) counted = endpoints ? static_cast<double>(order.size() - 1) : 0;
    if (counted == 0) continue;
    const fixed_score fixed = fixed_score_of(counted, units);
    scores[v].whole += fixed.whole;
    scores[v].fine += fixed.fine;
  }
}

}  // namespace

sequential_betweenness::sequential_betweenness(const cpu::search_graph& graph)
    : state_(std::make_unique<state>(state{.graph = graph, .search = multi_source::sequential_search(graph)})) {}
sequential_betweenness::sequential_betweenness(sequential_betweenness&&) noexcept = default;
sequential_betweenness::~sequential_betweenness() = default;

void sequential_betweenness::clear() { std::ranges::fill(state_->scores, fixed_score{.whole = 0, .fine = 0}); }

bool sequential_betweenness::add(graph::vertex_id source, bool endpoints, const score_units& units,
                                 const std::function<bool()>& stop, path_fault& fault) {
  if (!state_->search.run(source, {}, 0, graph::unreached, stop)) return false;
  const std::span<const graph::distance_bits> distances = state_->search.distances();
  cpu::with_layout_of<graph::distance_bits>(state_->graph, [&](const auto& layout) {
    std::uint64_t edges = 0;
    fault = count_paths(layout, source, distances, state_->paths, state_->waiting, state_->order, edges);
    if (fault != path_fault::none) return;
    state_->work.pops += passes * state_->order.size();
    state_->work.relaxations += passes * edges;
    add_scores(layout, distances, state_->order, endpoints, units, state_->paths, state_->scores);
  });
  return true;
}

std::span<const fixed_score> sequential_betweenness::scores() const { return state_->scores; }

cpu::work_counts sequential_betweenness::work() const {
  cpu::work_counts sum = state_->search.work();
  sum += state_->work;
  return sum;
}

}  // namespace mlmq::betweenness
