// SPDX-License-Identifier: Apache-2.0
#include "problems/search_batches/sequential_search.hpp"

#include <algorithm>

#include "cpu_solvers/layout.hpp"
#include "cpu_solvers/radix_heap.hpp"

namespace mlmq::batches {

struct sequential_search::state {
  cpu::search_graph graph;
  cpu::radix_heap queue;
  std::vector<graph::distance_bits> distances;
  cpu::work_counts work;
};

namespace {

struct bounds {
  std::span<const std::uint8_t> is_target;
  std::size_t targets;
  graph::distance_bits cutoff;
};

template <class Layout>
bool search(const Layout& graph, graph::vertex_id source, const bounds& within,
            std::vector<graph::distance_bits>& distances, cpu::radix_heap& queue, cpu::work_counts& counts,
            const std::function<bool()>& stop) {
  std::ranges::fill(distances, graph::unreached);
  distances[source] = 0;
  queue.clear();
  queue.push(cpu::make_entry(0, source));
  const auto announce = [&](cpu::entry e) {
    graph.prefetch_row(cpu::vertex_of(e));
    __builtin_prefetch(distances.data() + cpu::vertex_of(e));
  };
  std::size_t left = within.targets;
  while (!queue.empty()) {
    cpu::entry_buffer& lowest = queue.lowest(announce);
    // Edges of no length add to it meanwhile.
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      const graph::vertex_id v = cpu::vertex_of(lowest[i]);
      const graph::distance_bits distance = cpu::distance_of(lowest[i]);
      if (++counts.pops % 4096 == 0 && stop()) return false;
      if (distances[v] != distance) {
        ++counts.stale_pops;
        continue;
      }
      if (left > 0 && within.is_target[v] != 0 && --left == 0) return true;
      const auto* const end = graph.row_end(v);
      for (const auto* edge = graph.row_begin(v); edge != end; ++edge) {
        const graph::vertex_id target = Layout::target(*edge);
        const graph::distance_bits offer = Layout::extend(distance, *edge);
        if (offer >= distances[target] || offer > within.cutoff) continue;
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

}  // namespace

sequential_search::sequential_search(const cpu::search_graph& graph) : state_(std::make_unique<state>()) {
  state_->graph = graph;
  state_->distances.resize(graph.vertices);
}
sequential_search::sequential_search(sequential_search&&) noexcept = default;
sequential_search::~sequential_search() = default;

bool sequential_search::run(graph::vertex_id source, std::span<const std::uint8_t> is_target, std::size_t targets,
                            graph::distance_bits cutoff, const std::function<bool()>& stop) {
  return cpu::with_layout(state_->graph, [&](const auto& layout) {
    return search(layout, source, {.is_target = is_target, .targets = targets, .cutoff = cutoff}, state_->distances,
                  state_->queue, state_->work, stop);
  });
}

std::span<const graph::distance_bits> sequential_search::distances() const { return state_->distances; }
const cpu::work_counts& sequential_search::work() const { return state_->work; }

batch_answer answer_of(std::span<const graph::distance_bits> distances) {
  batch_answer answer{.digest = 0, .reached = 0, .farthest = 0};
  for (std::size_t v = 0; v < distances.size(); ++v) {
    if (distances[v] == graph::unreached) continue;
    answer.digest += digest_of(static_cast<u32>(v), distances[v]);
    ++answer.reached;
    answer.farthest = std::max(answer.farthest, distances[v]);
  }
  return answer;
}

}  // namespace mlmq::batches
