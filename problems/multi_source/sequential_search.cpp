// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/sequential_search.hpp"

#include <algorithm>

#include "backends/cpu/searches/layout.hpp"
#include "backends/cpu/searches/radix_heap.hpp"
#include "backends/cpu/searches/wide/wide_radix_heap.hpp"
#include "backends/cpu/searches/wide/wide_search.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::multi_source {

namespace {

/// Traits of distances of 4 bytes: the elements, their queue, and the value of unreached vertices.
struct narrow {
  using bits = graph::distance_bits;
  using queue = cpu::radix_heap;
  static constexpr bits none = graph::unreached;
  static cpu::entry element(bits distance, graph::vertex_id vertex) { return cpu::make_entry(distance, vertex); }
  static bits distance_of(cpu::entry e) { return cpu::distance_of(e); }
  static graph::vertex_id vertex_of(cpu::entry e) { return cpu::vertex_of(e); }
};

/// Traits of distances of 8 bytes.
struct wide {
  using bits = graph::wide_distance_bits;
  using queue = cpu::wide_radix_heap;
  static constexpr bits none = graph::wide_unreached;
  static cpu::wide_entry element(bits distance, graph::vertex_id vertex) {
    return {.distance = distance, .vertex = vertex};
  }
  static bits distance_of(const cpu::wide_entry& e) { return e.distance; }
  static graph::vertex_id vertex_of(const cpu::wide_entry& e) { return e.vertex; }
};

/// A graph layout for edges with weights of 8 bytes.
template <class Offset>
class wide_layout {
 public:
  explicit wide_layout(const cpu::search_graph& graph) noexcept : rows_(graph) {}
  [[nodiscard]] const graph::wide_edge* row_begin(graph::vertex_id v) const noexcept { return rows_.row(v).data(); }
  [[nodiscard]] const graph::wide_edge* row_end(graph::vertex_id v) const noexcept {
    return rows_.row(v).data() + rows_.row(v).size();
  }
  [[nodiscard]] static graph::vertex_id target(const graph::wide_edge& edge) noexcept {
    return static_cast<graph::vertex_id>(edge.target);
  }
  [[nodiscard]] static wide::bits extend(wide::bits distance, const graph::wide_edge& edge) noexcept {
    return graph::weight_traits<graph::weight_type::float64>::extend(distance, edge.weight_bits);
  }
  void prefetch_row(graph::vertex_id v) const noexcept { rows_.prefetch_row(v); }

 private:
  cpu::wide_rows<Offset> rows_;
};

/// Memory of searches with distances of one size.
template <class Width>
struct memory {
  typename Width::queue queue;
  std::vector<typename Width::bits> distances;
};

struct bounds {
  std::span<const std::uint8_t> is_target;
  std::size_t targets;
  graph::wide_distance_bits cutoff;
};

template <class Width, class Layout>
bool search(const Layout& graph, graph::vertex_id source, const bounds& within, memory<Width>& buffers,
            cpu::work_counts& counts, const std::function<bool()>& stop) {
  auto& distances = buffers.distances;
  auto& queue = buffers.queue;
  const auto cutoff =
      static_cast<typename Width::bits>(std::min<graph::wide_distance_bits>(within.cutoff, Width::none));
  std::ranges::fill(distances, Width::none);
  distances[source] = 0;
  queue.clear();
  queue.push(Width::element(0, source));
  const auto announce = [&](const auto& e) {
    graph.prefetch_row(Width::vertex_of(e));
    __builtin_prefetch(distances.data() + Width::vertex_of(e));
  };
  std::size_t remaining = within.targets;
  while (!queue.empty()) {
    auto& lowest = queue.lowest(announce);
    // Edges of length 0 add to it meanwhile.
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      const graph::vertex_id v = Width::vertex_of(lowest[i]);
      const auto distance = Width::distance_of(lowest[i]);
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
        queue.push(Width::element(offer, target));
      }
      counts.relaxations += static_cast<std::uint64_t>(end - graph.row_begin(v));
    }
    queue.clear_lowest();
  }
  return true;
}

template <class Bits, class Farthest>
multi_source_answer answer_as(std::span<const Bits> distances, Bits none, const Farthest& farthest) {
  multi_source_answer answer{.digest = 0, .reached = 0, .farthest = 0};
  for (std::size_t v = 0; v < distances.size(); ++v) {
    if (distances[v] == none) continue;
    if constexpr (sizeof(Bits) == sizeof(u32)) {
      answer.digest += digest_of(static_cast<u32>(v), u32{distances[v]});
    } else {
      answer.digest += digest_of(static_cast<u32>(v), u64{distances[v]});
    }
    ++answer.reached;
    answer.farthest = std::max(answer.farthest, farthest(distances[v]));
  }
  return answer;
}

}  // namespace

struct sequential_search::state {
  cpu::search_graph graph;
  memory<multi_source::narrow> narrow;
  memory<multi_source::wide> wide;
  cpu::work_counts work;

  [[nodiscard]] bool is_wide() const { return !graph.unit_weights && graph.weights == graph::weight_type::float64; }
};

sequential_search::sequential_search(const cpu::search_graph& graph) : state_(std::make_unique<state>()) {
  state_->graph = graph;
  if (state_->is_wide()) {
    state_->wide.distances.resize(graph.vertices);
  } else {
    state_->narrow.distances.resize(graph.vertices);
  }
}
sequential_search::sequential_search(sequential_search&&) noexcept = default;
sequential_search::~sequential_search() = default;

bool sequential_search::run(graph::vertex_id source, std::span<const std::uint8_t> is_target, std::size_t targets,
                            graph::wide_distance_bits cutoff, const std::function<bool()>& stop) {
  const bounds within{.is_target = is_target, .targets = targets, .cutoff = cutoff};
  if (state_->is_wide()) {
    return cpu::with_offsets(state_->graph, [&]<class Offset>(Offset) {
      return search<wide>(wide_layout<Offset>(state_->graph), source, within, state_->wide, state_->work, stop);
    });
  }
  return cpu::with_layout(state_->graph, [&](const auto& layout) {
    return search<narrow>(layout, source, within, state_->narrow, state_->work, stop);
  });
}

std::span<const graph::distance_bits> sequential_search::distances() const { return state_->narrow.distances; }
std::span<const graph::wide_distance_bits> sequential_search::wide_distances() const { return state_->wide.distances; }
const cpu::work_counts& sequential_search::work() const { return state_->work; }

multi_source_answer answer_of(std::span<const graph::distance_bits> distances) {
  return answer_as(distances, graph::unreached, [](graph::distance_bits d) { return d; });
}

multi_source_answer answer_of(std::span<const graph::wide_distance_bits> distances) {
  return answer_as(distances, graph::wide_unreached,
                   [](graph::wide_distance_bits d) { return static_cast<u32>(d >> 32); });
}

}  // namespace mlmq::multi_source
