// SPDX-License-Identifier: Apache-2.0
#include "library/predecessors.hpp"

#include <algorithm>
#include <atomic>

#include "backends/cpu/processors.hpp"
#include "backends/cpu/searches/thread_team.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::graph {
namespace {

/// Edges for which another thread is worthwhile: starting a thread takes about 20 to 50 µs, and a thread processes
/// about one edge per nanosecond.
constexpr edge_offset edges_worth_a_thread = 50'000;

void offer(vertex_id& predecessor, vertex_id u) noexcept {
  const std::atomic_ref<vertex_id> slot(predecessor);
  vertex_id current = slot.load(std::memory_order_relaxed);
  while (u < current && !slot.compare_exchange_weak(current, u, std::memory_order_relaxed)) {
  }
}

/// @tparam Bits  representation of a distance
/// @tparam Extend Bits(Bits, edge_offset): the distance at the end of an edge
template <class Bits, class Extend>
class tree_builder {
 public:
  tree_builder(const csr_graph& graph, vertex_id source, std::span<const Bits> distances, const Extend& extend)
      : offsets_(graph.offsets()),
        targets_(graph.targets()),
        source_(source),
        distances_(distances),
        extend_(extend),
        tree_(graph.vertex_count(), no_predecessor) {}

  std::vector<vertex_id> build(unsigned threads) {
    const edge_offset edges = targets_.size();
    if (threads <= 1) {
      take_longer(0, edges);
    } else {
      cpu::thread_team team(threads);
      team.run([&](unsigned rank) { take_longer(edges * rank / threads, edges * (rank + 1) / threads); });
    }
    if (some_is_missing()) take_level();
    return std::move(tree_);
  }

 private:
  /// Calls visit(v, distance of v over this edge) for edges first … last - 1, which must be out-edges of u.
  template <class Visit>
  void for_edges_of(vertex_id u, edge_offset first, edge_offset last, const Visit& visit) const {
    const Bits distance = distances_[u];
    if (distance == none) return;
    for (edge_offset edge = first; edge < last; ++edge) visit(targets_[edge], extend_(distance, edge));
  }

  void take_longer(edge_offset first, edge_offset last) {
    if (first == last) return;
    auto u = static_cast<vertex_id>(std::upper_bound(offsets_.begin(), offsets_.end(), first) - offsets_.begin() - 1);
    for (; first < last; ++u) {
      const edge_offset end = std::min(offsets_[u + std::size_t{1}], last);
      for_edges_of(u, first, end, [&](vertex_id v, Bits new_distance) {
        if (new_distance == distances_[v] && new_distance > distances_[u]) offer(tree_[v], u);
      });
      first = end;
    }
  }

  [[nodiscard]] bool is_rooted(vertex_id v) const { return v == source_ || tree_[v] != no_predecessor; }

  [[nodiscard]] bool some_is_missing() const {
    for (vertex_id v = 0; v < tree_.size(); ++v) {
      if (distances_[v] != none && !is_rooted(v)) return true;
    }
    return false;
  }

  void take_level() {
    std::vector<bool> visited(tree_.size(), false);
    std::vector<vertex_id> stack;
    for (vertex_id first = 0; first < tree_.size(); ++first) {
      if (distances_[first] == none || visited[first] || !is_rooted(first)) continue;
      stack.assign(1, first);
      while (!stack.empty()) {
        const vertex_id u = stack.back();
        stack.pop_back();
        visited[u] = true;
        for_edges_of(u, offsets_[u], offsets_[u + std::size_t{1}], [&](vertex_id v, Bits new_distance) {
          // Test the edge length first: most edges have one, and the other tests access another vertex.
          if (new_distance != distances_[u] || is_rooted(v) || distances_[v] != new_distance) return;
          tree_[v] = u;
          stack.push_back(v);
        });
      }
    }
  }

  std::span<const edge_offset> offsets_;
  std::span<const vertex_id> targets_;
  vertex_id source_;
  static constexpr Bits none = ~Bits{0};
  std::span<const Bits> distances_;
  const Extend& extend_;
  std::vector<vertex_id> tree_;
};

template <class Bits, class Extend>
std::vector<vertex_id> build_tree(const csr_graph& graph, vertex_id source, std::span<const Bits> distances,
                                  unsigned threads, const Extend& extend) {
  if (threads == 0) threads = backends::find_processors().usable;
  threads = static_cast<unsigned>(std::min<edge_offset>(threads, 1 + graph.edge_count() / edges_worth_a_thread));
  return tree_builder<Bits, Extend>(graph, source, distances, extend).build(threads);
}

/// Builds the tree with the weights of the graph.
template <class Traits>
std::vector<vertex_id> build_tree(const csr_graph& graph, vertex_id source,
                                  std::span<const typename Traits::bits> distances, unsigned threads) {
  return build_tree(graph, source, distances, threads,
                    [weights = Traits::weights_of(graph)](typename Traits::bits distance, edge_offset edge) {
                      return Traits::extend(distance, weights[edge]);
                    });
}

}  // namespace

std::vector<vertex_id> predecessors(const csr_graph& graph, bool unit_weights, vertex_id source,
                                    std::span<const distance_bits> distances, unsigned threads) {
  if (unit_weights) {
    return build_tree(graph, source, distances, threads,
                      [](distance_bits distance, edge_offset) { return extend_by<weight_type::uint32>(distance, 1); });
  }
  if (graph.weights() == weight_type::uint32) {
    return build_tree<weight_traits<weight_type::uint32>>(graph, source, distances, threads);
  }
  return build_tree<weight_traits<weight_type::float32>>(graph, source, distances, threads);
}

std::vector<vertex_id> predecessors(const csr_graph& graph, vertex_id source,
                                    std::span<const wide_distance_bits> distances, unsigned threads) {
  return build_tree<weight_traits<weight_type::float64>>(graph, source, distances, threads);
}

}  // namespace mlmq::graph
