// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/bfs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <span>
#include <stdexcept>

#include "backends/cpu/searches/entry_buffer.hpp"
#include "backends/cpu/searches/layout.hpp"
#include "backends/cpu/searches/stop_signal.hpp"

namespace mlmq::cpu {
namespace {

constexpr std::size_t word_bits = 64;
/// Vertices per claim when pulling a level: whole words of the bitmap and whole cache lines of distances.
constexpr std::size_t pull_block = 1024;
/// Pulling switches back to pushing when a level shrinks and has less than 1/push_share of all vertices.
constexpr std::size_t push_share = 18;
constexpr std::size_t row_ahead = 16;
constexpr std::size_t edges_ahead = 8;

/// Returns whether one thread is faster than several, which synchronise two or three times per level.
bool is_small(const search_graph& graph, unsigned threads) {
  constexpr std::size_t items_per_thread = 8192;
  const std::size_t edges = with_offsets(graph, [&]<class Offset>(Offset) -> std::size_t {
    return static_cast<const Offset*>(graph.offsets)[graph.vertices];
  });
  return graph.vertices + edges < items_per_thread * threads;
}

}  // namespace

struct alignas(separation) bfs::member {
  /// One thread's part of a level: its vertices, and the number of edges that leave them. Levels alternate between two
  /// parts.
  struct alignas(separation) frontier {
    entry_buffer<entry> vertices;  // filled if the next level pushes
    std::size_t count = 0;
    std::size_t edges = 0;
    bool stopping = false;
    alignas(separation) std::atomic<std::size_t> cursor = 0;  // vertices before it are taken
  };
  std::array<frontier, 2> frontiers;
  unsigned pushed_chunks = 0;
  work_counts counts;
};

struct bfs::bitmaps {
  std::size_t words = 0;
  std::array<std::unique_ptr<std::uint64_t[]>, 2> sets;  // for even and for odd levels

  void reserve(std::size_t vertices) {
    if (words >= vertices / word_bits + 1) return;
    words = vertices / word_bits + 1;
    // Do not initialise the memory here: each thread initialises its own part, so that the part is local to it.
    for (auto& set : sets) set.reset(new std::uint64_t[words]);
  }
};

bfs::bfs() = default;
bfs::~bfs() = default;

template <class Layout, bool Counting>
class bfs::search {
 public:
  search(thread_team& team, const search_request& request, std::span<const std::unique_ptr<member>> members,
         bitmaps& sets)
      : team_(team),
        request_(request),
        graph_(request.graph),
        reverse_(reversed(request.graph)),
        vertices_(request.graph.vertices),
        can_pull_(request.pull > 0 && request.graph.reverse_edges != nullptr),
        members_(members),
        sets_(sets),
        stop_(request) {}

  run_status run() {
    team_.run([this](unsigned rank) { work(rank); });
    return stop_.status();
  }

 private:
  using frontier = member::frontier;

  static search_graph reversed(search_graph graph) noexcept {
    graph.offsets = graph.reverse_offsets;
    graph.edges = graph.reverse_edges;
    return graph;
  }

  void work(unsigned rank) {
    member& me = *members_[rank];
    me.counts = {};
    for (frontier& level_frontier : me.frontiers) clear(level_frontier);
    const thread_team::slice part = team_.slice_of(rank, vertices_, sizeof(graph::distance_bits));
    std::fill(request_.distances + part.first, request_.distances + part.last, graph::unreached);
    if (part.first <= request_.source && request_.source < part.last) {
      request_.distances[request_.source] = 0;
      add(request_.source, me.frontiers[0]);
      if constexpr (Counting) ++me.counts.updates;
    }
    // All threads make the same decision from the same numbers.
    std::size_t edges_left = graph_.edge_count(vertices_);
    std::size_t last_size = 0;
    bool pulling = false;
    for (graph::distance_bits level = 0;; ++level) {
      const unsigned side = level % 2;
      stop_.poll();
      me.frontiers[side].stopping = stop_.is_set();
      team_.barrier();
      const auto [size, edges, stopping] = total(side);
      if (stopping || size == 0) return;
      if (pulling) {
        if (size < last_size && size < vertices_ / push_share) {
          list_set(rank, side);
          team_.barrier();
          pulling = false;
        }
      } else if (can_pull_ && edges > edges_left / request_.pull) {
        make_set(rank, side);
        pulling = true;
      }
      edges_left -= std::min(edges_left, edges);
      last_size = size;
      if (rank == 0) next_block_[1 - side].store(0, std::memory_order_relaxed);
      clear(me.frontiers[1 - side]);
      pulling ? pull(level, me) : push(level, rank, me);
    }
  }

  struct totals {
    std::size_t size = 0;
    std::size_t edges = 0;
    bool stopping = false;
  };
  [[nodiscard]] totals total(unsigned side) const noexcept {
    totals sums;
    for (const auto& other : members_) {
      sums.size += other->frontiers[side].count;
      sums.edges += other->frontiers[side].edges;
      sums.stopping = sums.stopping || other->frontiers[side].stopping;
    }
    return sums;
  }

  static void clear(frontier& target) noexcept {
    target.vertices.clear();
    target.count = 0;
    target.edges = 0;
    target.cursor.store(0, std::memory_order_relaxed);
  }

  void add(graph::vertex_id v, frontier& target) {
    target.vertices.push(make_entry(0, v));
    ++target.count;
    target.edges += static_cast<std::size_t>(graph_.row_end(v) - graph_.row_begin(v));
  }

  /// Expands `level` top-down: its vertices update their neighbours.
  void push(graph::distance_bits level, unsigned rank, member& me) {
    for (unsigned i = 0; i < team_.size(); ++i) {
      frontier& other = members_[(rank + i) % team_.size()]->frontiers[level % 2];
      while (other.cursor.load(std::memory_order_relaxed) < other.count && !stop_.is_set()) {
        const std::size_t first = other.cursor.fetch_add(request_.chunk, std::memory_order_relaxed);
        if constexpr (Counting) ++me.counts.queue_atomics;
        if (first >= other.count) break;
        push_rows({other.vertices.data() + first, std::min<std::size_t>(request_.chunk, other.count - first)}, level,
                  me);
      }
    }
  }

  void push_rows(std::span<const entry> entries, graph::distance_bits level, member& me) {
    if (++me.pushed_chunks % 16 == 0) stop_.poll();
    frontier& next_frontier = me.frontiers[1 - level % 2];
    for (std::size_t i = 0; i < std::min(row_ahead, entries.size()); ++i) graph_.prefetch_row(vertex_of(entries[i]));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i + row_ahead < entries.size()) graph_.prefetch_row(vertex_of(entries[i + row_ahead]));
      if (i + edges_ahead < entries.size()) graph_.prefetch_edges(vertex_of(entries[i + edges_ahead]));
      const graph::vertex_id v = vertex_of(entries[i]);
      if constexpr (Counting) ++me.counts.pops;
      const auto* const end = graph_.row_end(v);
      for (const auto* edge = graph_.row_begin(v); edge != end; ++edge) {
        if constexpr (Counting) ++me.counts.relaxations;
        const graph::vertex_id target = Layout::target(*edge);
        const std::atomic_ref<graph::distance_bits> distance(request_.distances[target]);
        graph::distance_bits current = distance.load(std::memory_order_relaxed);
        if (current != graph::unreached) continue;
        if constexpr (Counting) ++me.counts.distance_atomics;
        if (!distance.compare_exchange_strong(current, level + 1, std::memory_order_relaxed)) continue;
        if constexpr (Counting) ++me.counts.updates;
        add(target, next_frontier);
      }
    }
  }

  /// Expands `level` bottom-up: each unreached vertex searches for a neighbour in it. Each word of the next set has one
  /// writer.
  void pull(graph::distance_bits level, member& me) {
    const std::uint64_t* const present = sets_.sets[level % 2].get();
    std::uint64_t* const next = sets_.sets[1 - level % 2].get();
    frontier& next_frontier = me.frontiers[1 - level % 2];
    std::atomic<std::size_t>& cursor = next_block_[level % 2];
    while (!stop_.poll()) {
      const std::size_t first = cursor.fetch_add(pull_block, std::memory_order_relaxed);
      if constexpr (Counting) ++me.counts.queue_atomics;
      if (first >= vertices_) return;
      for (std::size_t word = first; word < std::min(first + pull_block, vertices_); word += word_bits) {
        std::uint64_t bits = 0;
        for (std::size_t v = word; v < std::min(word + word_bits, vertices_); ++v) {
          if (request_.distances[v] != graph::unreached) continue;
          if (!has_neighbour(static_cast<graph::vertex_id>(v), present, me)) continue;
          request_.distances[v] = level + 1;
          bits |= std::uint64_t{1} << v % word_bits;
        }
        next[word / word_bits] = bits;
        const auto count = static_cast<std::size_t>(std::popcount(bits));
        next_frontier.count += count;
        if constexpr (Counting) me.counts.updates += count;
      }
    }
  }

  [[nodiscard]] bool has_neighbour(graph::vertex_id v, const std::uint64_t* set, member& me) const noexcept {
    const auto* const end = reverse_.row_end(v);
    for (const auto* edge = reverse_.row_begin(v); edge != end; ++edge) {
      if constexpr (Counting) ++me.counts.relaxations;
      const graph::vertex_id u = Layout::target(*edge);
      if ((set[u / word_bits] >> u % word_bits & 1U) != 0) return true;
    }
    return false;
  }

  /// Converts the lists of a level to a set.
  void make_set(unsigned rank, unsigned side) {
    std::uint64_t* const set = sets_.sets[side].get();
    const thread_team::slice part = team_.slice_of(rank, sets_.words, sizeof(std::uint64_t));
    std::fill(set + part.first, set + part.last, 0);
    team_.barrier();
    const frontier& mine = members_[rank]->frontiers[side];
    for (std::size_t i = 0; i < mine.count; ++i) {
      const graph::vertex_id v = vertex_of(mine.vertices[i]);
      std::atomic_ref(set[v / word_bits]).fetch_or(std::uint64_t{1} << v % word_bits, std::memory_order_relaxed);
    }
    team_.barrier();
  }

  /// Converts the set of a level to lists.
  void list_set(unsigned rank, unsigned side) {
    const std::uint64_t* const set = sets_.sets[side].get();
    frontier& mine = members_[rank]->frontiers[side];
    // Other threads may still read the counts of this level.
    team_.barrier();
    clear(mine);
    const thread_team::slice part =
        team_.slice_of(rank, (vertices_ + word_bits - 1) / word_bits, sizeof(std::uint64_t));
    for (std::size_t word = part.first; word < part.last; ++word) {
      for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1) {
        add(static_cast<graph::vertex_id>(word * word_bits + static_cast<std::size_t>(std::countr_zero(bits))), mine);
      }
    }
  }

  thread_team& team_;
  const search_request& request_;
  Layout graph_;
  Layout reverse_;
  std::size_t vertices_;
  bool can_pull_;
  std::span<const std::unique_ptr<member>> members_;
  bitmaps& sets_;
  alignas(separation) stop_signal stop_;
  // Next vertices to claim when pulling even and odd levels.
  alignas(separation) std::array<std::atomic<std::size_t>, 2> next_block_{};
};

search_result bfs::run(thread_team& all_threads, const search_request& request) {
  if (!request.graph.unit_weights) throw std::invalid_argument("bfs: the graph has weights");
  thread_team& team = is_small(request.graph, all_threads.size()) ? caller_ : all_threads;
  while (members_.size() < team.size()) members_.push_back(std::make_unique<member>());
  if (bitmaps_ == nullptr) bitmaps_ = std::make_unique<bitmaps>();
  bitmaps_->reserve(request.graph.vertices);
  const auto members = std::span<const std::unique_ptr<member>>(members_).first(team.size());
  search_result result;
  result.status = with_offsets(request.graph, [&]<class Offset>(Offset) {
    using layout = graph_layout<graph::weight_type::uint32, true, Offset>;
    if (request.count) return search<layout, true>(team, request, members, *bitmaps_).run();
    return search<layout, false>(team, request, members, *bitmaps_).run();
  });
  for (const auto& thread_member : members) result.counts += thread_member->counts;
  return result;
}

}  // namespace mlmq::cpu
