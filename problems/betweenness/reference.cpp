// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include "graph/reference.hpp"

namespace mlmq::betweenness {
namespace {

/// Tolerance for different orders of summation.
constexpr double tolerance = 1e-9;

class searcher {
 public:
  explicit searcher(const graph::csr_graph& graph)
      : graph_(graph), seen_(graph.vertex_count()), paths_(graph.vertex_count()), dependencies_(graph.vertex_count()) {}

  void add(graph::vertex_id source, bool endpoints, std::vector<double>& scores) {
    distances_ = graph::dijkstra(graph_, source);
    order_from(source);
    std::ranges::fill(paths_, 0.0);
    std::ranges::fill(dependencies_, 0.0);
    paths_[source] = 1;
    for (std::size_t i = reverse_order_.size(); i-- > 0;) {
      each_successor(reverse_order_[i], [&](graph::vertex_id target) { paths_[target] += paths_[reverse_order_[i]]; });
    }
    for (const graph::vertex_id v : reverse_order_) {
      each_successor(v, [&](graph::vertex_id target) {
        dependencies_[v] += paths_[v] / paths_[target] * (1 + dependencies_[target]);
      });
      if (v != source) scores[v] += dependencies_[v] + (endpoints ? 1 : 0);
    }
    if (endpoints) scores[source] += static_cast<double>(reverse_order_.size() - 1);
  }

 private:
  template <class Visitor>
  void each_successor(graph::vertex_id v, Visitor&& visit) const {
    for (graph::edge_offset i = graph_.offsets()[v]; i < graph_.offsets()[v + std::size_t{1}]; ++i) {
      if (is_tight(v, i)) visit(graph_.targets()[i]);
    }
  }

  [[nodiscard]] bool is_tight(graph::vertex_id v, graph::edge_offset i) const {
    return distances_[graph_.targets()[i]] == graph::extend(graph_.weights(), distances_[v], graph_.weight_bits()[i]);
  }

  /// Orders vertices so that each one follows all targets of its tight edges.
  void order_from(graph::vertex_id source) {
    std::ranges::fill(seen_, 0);
    reverse_order_.clear();
    std::vector<std::pair<graph::vertex_id, graph::edge_offset>> open = {{source, graph_.offsets()[source]}};
    seen_[source] = 1;
    while (!open.empty()) {
      auto& [v, edge] = open.back();
      if (edge == graph_.offsets()[v + std::size_t{1}]) {
        reverse_order_.push_back(v);
        open.pop_back();
        continue;
      }
      const graph::edge_offset edge_index = edge++;
      const graph::vertex_id target = graph_.targets()[edge_index];
      if (seen_[target] != 0 || !is_tight(v, edge_index)) continue;
      seen_[target] = 1;
      open.emplace_back(target, graph_.offsets()[target]);
    }
  }

  const graph::csr_graph& graph_;
  std::vector<graph::distance_bits> distances_;
  std::vector<std::uint8_t> seen_;
  std::vector<double> paths_;
  std::vector<double> dependencies_;
  std::vector<graph::vertex_id> reverse_order_;
};

}  // namespace

std::vector<double> reference_scores(const graph::csr_graph& graph, problems::search_kind kind,
                                     std::span<const graph::vertex_id> sources, bool endpoints) {
  const graph::csr_graph searched = kind == problems::search_kind::bfs ? graph::with_unit_weights(graph) : graph;
  std::vector<double> sum(graph.vertex_count());
  std::mutex guard;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    searcher worker(searched);
    std::vector<double> scores(graph.vertex_count());
    for (std::size_t i = next++; i < sources.size(); i = next++) worker.add(sources[i], endpoints, scores);
    const std::lock_guard lock(guard);
    for (std::size_t v = 0; v < scores.size(); ++v) sum[v] += scores[v];
  };
  const std::size_t threads =
      std::clamp<std::size_t>(sources.size() / 4, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();
  return sum;
}

std::string find_error(const graph::csr_graph& graph, std::span<const double> scores, std::span<const double> right) {
  if (scores.size() != right.size()) return "the number of scores differs from the number of vertices";
  for (std::size_t v = 0; v < scores.size(); ++v) {
    if (std::abs(scores[v] - right[v]) <= tolerance * std::max(1e-3, std::abs(right[v]))) continue;
    return fmt::format("vertex {} has the score {}, expected {}", graph.ids().id_of(static_cast<graph::vertex_id>(v)),
                       scores[v], right[v]);
  }
  return "";
}

}  // namespace mlmq::betweenness
