// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/sequential_search.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "backends/cpu/searches/layout.hpp"
#include "backends/cpu/searches/radix_heap.hpp"

namespace mlmq::multi_source {

namespace {

/// Memory of searches with distances of the type Bits.
template <class Bits>
struct memory {
  cpu::radix_heap<cpu::entry_of<Bits>> queue;
  std::vector<Bits> distances;
};

struct bounds {
  std::span<const std::uint8_t> is_target;
  std::size_t targets;
  graph::wide_distance_bits cutoff;
};

template <class Layout>
bool search(const Layout& graph, std::span<const graph::seed_vertex> seeds, const bounds& within,
            memory<typename Layout::bits>& buffers, cpu::work_counts& counts, const std::function<bool()>& stop) {
  using bits = typename Layout::bits;
  auto& distances = buffers.distances;
  auto& queue = buffers.queue;
  const auto cutoff = static_cast<bits>(std::min<graph::wide_distance_bits>(within.cutoff, Layout::traits::none));
  std::ranges::fill(distances, Layout::traits::none);
  queue.clear();
  for (const graph::seed_vertex& seed : seeds) {
    const auto distance = static_cast<bits>(seed.distance);
    if (distance > cutoff) continue;
    distances[seed.vertex] = distance;
    queue.push(cpu::make_entry(distance, seed.vertex));
  }
  const auto announce = [&](const auto& e) {
    graph.prefetch_row(cpu::vertex_of(e));
    __builtin_prefetch(distances.data() + cpu::vertex_of(e));
  };
  std::size_t remaining = within.targets;
  while (!queue.empty()) {
    auto& lowest = queue.lowest(announce);
    // Edges of length 0 append to `lowest` during the loop.
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      const graph::vertex_id v = cpu::vertex_of(lowest[i]);
      const auto distance = cpu::distance_of(lowest[i]);
      if (++counts.pops % 4096 == 0 && stop()) return false;
      if (distances[v] != distance) {
        ++counts.stale_pops;
        continue;
      }
      if (remaining > 0 && within.is_target[v] != 0 && --remaining == 0) return true;
      const auto* const end = graph.row_end(v);
      for (const auto* edge = graph.row_begin(v); edge != end; ++edge) {
        const graph::vertex_id target = Layout::target(*edge);
        const auto offer = Layout::extend(distance, *edge);
        if (offer >= distances[target] || offer > cutoff) continue;
        distances[target] = offer;
        ++counts.updates;
        queue.push(cpu::make_entry(offer, target));
      }
      counts.relaxations += static_cast<std::uint64_t>(end - graph.row_begin(v));
    }
    queue.clear_lowest();
  }
  return true;
}

template <class Bits, class Farthest>
multi_source_answer answer_as(std::span<const Bits> distances, Bits none, const Farthest& farthest) {
  using word = std::conditional_t<sizeof(Bits) == sizeof(u32), u32, u64>;
  multi_source_answer answer{.digest = 0, .reached = 0, .farthest = 0};
  for (std::size_t v = 0; v < distances.size(); ++v) {
    // Without branches, because which vertices are reached cannot be predicted.
    const bool is_reached = distances[v] != none;
    answer.digest += is_reached ? digest_of(static_cast<u32>(v), word{distances[v]}) : 0;
    answer.reached += is_reached ? 1 : 0;
    answer.farthest = std::max(answer.farthest, is_reached ? farthest(distances[v]) : 0);
  }
  return answer;
}

}  // namespace

struct sequential_search::state {
  cpu::search_graph graph;
  std::tuple<memory<graph::distance_bits>, memory<graph::wide_distance_bits>> memories;  // one of them is used
  cpu::work_counts work;

  template <class Bits>
  [[nodiscard]] memory<Bits>& memory_of() {
    return std::get<memory<Bits>>(memories);
  }
};

sequential_search::sequential_search(const cpu::search_graph& graph) : state_(std::make_unique<state>()) {
  state_->graph = graph;
  cpu::with_layout(graph, [&]<class Layout>(const Layout&) {
    state_->memory_of<typename Layout::bits>().distances.resize(graph.vertices + std::size_t{1});
  });
}
sequential_search::sequential_search(sequential_search&&) noexcept = default;
sequential_search::~sequential_search() = default;

bool sequential_search::run(std::span<const graph::seed_vertex> seeds, std::span<const std::uint8_t> is_target,
                            std::size_t targets, graph::wide_distance_bits cutoff, const std::function<bool()>& stop) {
  const bounds within{.is_target = is_target, .targets = targets, .cutoff = cutoff};
  return cpu::with_layout(state_->graph, [&]<class Layout>(const Layout& layout) {
    return search(layout, seeds, within, state_->memory_of<typename Layout::bits>(), state_->work, stop);
  });
}

std::span<const graph::distance_bits> sequential_search::distances() const {
  const auto& distances = state_->memory_of<graph::distance_bits>().distances;
  return std::span(distances).first(distances.empty() ? 0 : state_->graph.vertices);
}
std::span<const graph::wide_distance_bits> sequential_search::wide_distances() const {
  const auto& distances = state_->memory_of<graph::wide_distance_bits>().distances;
  return std::span(distances).first(distances.empty() ? 0 : state_->graph.vertices);
}
const cpu::work_counts& sequential_search::work() const { return state_->work; }

multi_source_answer answer_of(std::span<const graph::distance_bits> distances) {
  return answer_as(distances, graph::unreached, [](graph::distance_bits d) { return d; });
}

multi_source_answer answer_of(std::span<const graph::wide_distance_bits> distances) {
  return answer_as(distances, graph::wide_unreached,
                   [](graph::wide_distance_bits d) { return static_cast<u32>(d >> 32); });
}

}  // namespace mlmq::multi_source
