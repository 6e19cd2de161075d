// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes (2001): of each source, the number of shortest paths to every vertex, and from these the part of all
// paths that lead through a vertex. Distances are given; a block takes the next source until none is left.
//
// An edge is tight when it is part of a shortest path: the distances of its ends differ by its weight. Tight edges have no
// cycle, unless edges add nothing. A vertex is done when all tight edges to it have been followed. So waves of vertices go
// from the source on: each adds its paths to its successors', and the next wave are those that waited for it last. This needs
// no sorting by distance, and takes edges of weight 0.
//
// The waves backwards: with c(v) = (1 + score(v)) / paths(v), Brandes' sum is score(v) = paths(v) * sum of c over the
// successors of v, which are all in later waves. No thread writes them while a vertex reads them, so no atomics are needed,
// and c overwrites the number of paths once that is not needed any more.
#include "batches/betweenness_abi.cuh"
#include "batches/rows.cuh"
#include "batches/stop_watch.cuh"
#include "simt/float64.cuh"

namespace mlmq::batches {

class betweenness {
  using order = simt::order;
  using scope = simt::scope;

  static constexpr u32 no_vertex = 0xFFFFFFFFu;

  /// Some edges of a row. Those that are not tight have their bit cleared.
  struct tight_edges {
    u32 targets[chunk_edges];
    u32 valid;
  };

  /// Adds one to what each successor waits for.
  struct counting {
    betweenness& of;
    SIMT_DEVICE void take(u32, const tight_edges& edges) {
      for (u32 i = 0; i < chunk_edges; ++i) {
        if ((edges.valid >> i & 1) != 0) {
          simt::reduce_add<order::relaxed, scope::device>(of.waiting_ + edges.targets[i], 1u);
        }
      }
    }
    SIMT_DEVICE void finish(u32) {}
    SIMT_DEVICE void finish_long(u32, u32) {}
  };

  /// Adds the paths of a vertex to its successors'; those that waited for it last are the next wave.
  struct forward {
    betweenness& of;
    u32 next;   ///< number of the wave
    u32 first;  ///< its place in the order
    /// @param vertex no_vertex in lanes without edges
    SIMT_DEVICE void take(u32 vertex, const tight_edges& edges) {
      double paths = 0;
      u32 before[chunk_edges];
      if (edges.valid != 0) paths = simt::load(of.paths_ + vertex);
      for (u32 i = 0; i < chunk_edges; ++i) {
        if ((edges.valid >> i & 1) != 0) simt::add_float64(of.paths_ + edges.targets[i], paths);
      }
      for (u32 i = 0; i < chunk_edges; ++i) {
        before[i] = 0;
        if ((edges.valid >> i & 1) != 0) {
          before[i] = simt::atomic_add<order::relaxed, scope::device>(of.waiting_ + edges.targets[i], ~0u);
        }
      }
      u32 mine = 0;
      for (u32 i = 0; i < chunk_edges; ++i) mine += before[i] == 1 ? 1u : 0u;
      of.push(next, first, edges.targets, before, mine);
    }
    SIMT_DEVICE void finish(u32) {}
    SIMT_DEVICE void finish_long(u32, u32) {}
  };

  /// Sums up c over the successors of a vertex.
  struct backward {
    betweenness& of;
    bool is_source;
    double sum = 0;
    SIMT_DEVICE void take(u32, const tight_edges& edges) {
      double found[chunk_edges];
      for (u32 i = 0; i < chunk_edges; ++i) {
        found[i] = (edges.valid >> i & 1) != 0 ? simt::load(of.paths_ + edges.targets[i]) : 0;
      }
      for (u32 i = 0; i < chunk_edges; ++i) sum += found[i];
    }
    /// A row of this lane alone.
    SIMT_DEVICE void finish(u32 vertex) {
      if (vertex != no_vertex) of.settle(vertex, sum, is_source);
      sum = 0;
    }
    /// A row of which each lane had a part.
    SIMT_DEVICE void finish_long(u32 vertex, u32 owner) {
      for (u32 distance = simt::warp_size / 2; distance > 0; distance /= 2) {
        sum += simt::shuffle(sum, simt::lane() ^ distance);
      }
      if (simt::lane() == owner) of.settle(vertex, sum, is_source);
      sum = 0;
    }
  };

 public:
  SIMT_DEVICE betweenness(const betweenness_arguments& arguments, betweenness_words* words, counters& counts)
      : arguments_(arguments),
        words_(words),
        counts_(counts),
        paths_(arguments.paths + u64{simt::block_index()} * arguments.vertices),
        waiting_(arguments.waiting + u64{simt::block_index()} * arguments.vertices),
        order_(arguments.order + u64{simt::block_index()} * arguments.vertices),
        waves_(arguments.waves + u64{simt::block_index()} * arguments.vertices) {}

  /// All threads of the block: until there is no source left.
  SIMT_DEVICE void run() {
    if (simt::thread_in_block() == 0) {
      simt::store(&words_->deadline, simt::clock_ns() + arguments_.time_limit_ns);
    }
    while (begin()) {
      u32 waves = 0;
      if (!follow(waves)) return;
      if (!return_by(waves)) return;
    }
  }

 private:
  /// The one that the block works on.
  SIMT_DEVICE u32 search() const { return simt::load(&words_->search); }

  /// All threads. @return false: no search is left, or the run is over
  SIMT_DEVICE bool begin() {
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      simt::store(&words_->stop, is_over(arguments_.control, simt::load(&words_->deadline)) ? 1u : 0u);
      simt::store(&words_->search, simt::atomic_add<order::relaxed, scope::device>(&arguments_.control->next, 1u));
      simt::store(&words_->reached, 0u);
      for (u32 i = 0; i < 4; ++i) simt::store(&words_->pushed[i], 0u);
    }
    simt::sync_block();
    if (search() >= arguments_.searches || simt::load(&words_->stop) != 0) return false;
    distances_ = arguments_.distances + u64{search()} * arguments_.vertices;
    count_predecessors();
    simt::sync_block();
    const u32 source = simt::load_readonly(arguments_.sources + search());
    if (simt::load(waiting_ + source) != 0) {
      report(path_fault::cycle);
      return false;
    }
    if (simt::thread_in_block() == 0) {
      // The paths of all others are sums.
      simt::store(paths_ + source, 1.0);
      simt::store(order_, source);
    }
    simt::sync_block();
    return true;
  }

  /// All threads: how many tight edges lead to each vertex.
  SIMT_DEVICE void count_predecessors() {
    u32 reached = 0;
    counting visitor{*this};
    visit_rows(
        0, arguments_.vertices,
        [&](u32 v) {
          const u32 distance = simt::load_readonly(distances_ + v);
          if (distance == unreached) return no_vertex;
          if (distance >= arguments_.saturated) report(path_fault::too_far);
          simt::store(paths_ + v, 0.0);
          ++reached;
          return v;
        },
        visitor);
    reached = simt::warp_add(reached);
    if (simt::lane() == 0) simt::atomic_add<order::relaxed, scope::block>(&words_->reached, reached);
  }

  /// All threads: counts paths, wave by wave. @param waves how many there were @return false: the run is over
  SIMT_DEVICE bool follow(u32& waves) {
    u32 first = 0;
    u32 end = 1;
    for (; first != end; ++waves) {
      if (simt::thread_in_block() == 0) {
        simt::store(waves_ + waves, first);
        simt::store(&words_->pushed[(waves + 2) & 3], 0u);
        counts_.add(counter::supersteps, 1);
      }
      forward visitor{*this, waves + 1, end};
      visit_rows(
          first, end, [&](u32 i) { return simt::load(order_ + i); }, visitor);
      simt::sync_block();
      first = end;
      end += simt::load(&words_->pushed[(waves + 1) & 3]);
      if (waves % 64 == 63 && is_stopped()) return false;
    }
    if (end != simt::load(&words_->reached)) {
      report(path_fault::cycle);
      return false;
    }
    return true;
  }

  /// All threads: scores, from the last wave to the source. @return false: the run is over
  SIMT_DEVICE bool return_by(u32 waves) {
    u32 end = simt::load(&words_->reached);
    for (u32 wave = waves; wave-- > 0;) {
      const u32 first = simt::load(waves_ + wave);
      backward visitor{*this, wave == 0};
      visit_rows(
          first, end, [&](u32 i) { return simt::load(order_ + i); }, visitor);
      simt::sync_block();
      end = first;
      if (wave % 64 == 63 && is_stopped()) return false;
    }
    return true;
  }

  /// All threads. @return whether the run is over
  SIMT_DEVICE bool is_stopped() {
    if (simt::thread_in_block() == 0 && is_over(arguments_.control, simt::load(&words_->deadline))) {
      simt::store(&words_->stop, 1u);
    }
    simt::sync_block();
    return simt::load(&words_->stop) != 0;
  }

  /// Any thread: ends the run.
  SIMT_DEVICE void report(path_fault kind) {
    const u32 none = static_cast<u32>(path_fault::none);
    if (simt::atomic_compare_exchange<order::relaxed, scope::device>(&arguments_.fault->kind, none,
                                                                     static_cast<u32>(kind)) == none) {
      simt::store_atomic<order::relaxed, scope::device>(&arguments_.fault->search, search());
    }
    stop(arguments_.control, run_status::aborted);
  }

  /// All threads: shows the visitor the tight edges of the vertices at the places from `begin` to before `end`. A lane has a
  /// row to itself, but all lanes of a warp share long ones.
  /// @param vertex_at the vertex of a place, or no_vertex
  template <class VertexAt, class Visitor>
  SIMT_DEVICE void visit_rows(u32 begin, u32 end, VertexAt vertex_at, Visitor& visitor) {
    const auto* const offsets = static_cast<const u32*>(arguments_.offsets);
    const auto* const all = static_cast<const edges::word*>(arguments_.edges);
    for (u32 i = begin + simt::warp_in_block() * simt::warp_size; i < end; i += simt::block_threads()) {
      u32 vertex = no_vertex;
      u32 row = 0;
      u32 row_end = 0;
      u32 here = 0;
      if (i + simt::lane() < end) vertex = vertex_at(i + simt::lane());
      if (vertex != no_vertex) {
        row = simt::load_readonly(offsets + vertex);
        row_end = simt::load_readonly(offsets + vertex + 1);
        here = simt::load_readonly(distances_ + vertex);
        counts_.add(counter::pops, 1);
        counts_.add(counter::relaxations, row_end - row);
      }
      const bool is_long = row_end - row >= heavy_degree;
      const u32 own_end = is_long ? row : row_end;
      for (u32 k = row; simt::any(k < own_end); k += chunk_edges) {
        visitor.take(vertex, tight_of(here, load_chunk(all, k, 1, own_end)));
      }
      visitor.finish(is_long ? no_vertex : vertex);
      for (u32 left = simt::ballot(is_long); left != 0; left &= left - 1) {
        const u32 owner = simt::first_set(left);
        const u32 from = simt::shuffle(vertex, owner);
        const u32 distance = simt::shuffle(here, owner);
        const u32 last = simt::shuffle(row_end, owner);
        for (u32 k = simt::shuffle(row, owner); k < last; k += chunk_edges * simt::warp_size) {
          visitor.take(from, tight_of(distance, load_chunk(all, k + simt::lane(), simt::warp_size, last)));
        }
        visitor.finish_long(from, owner);
      }
    }
  }

  /// Those edges of a vertex at distance `here` that are tight.
  SIMT_DEVICE tight_edges tight_of(u32 here, const edge_chunk& chunk) const {
    tight_edges found;
    u32 there[chunk_edges];
    found.valid = chunk.valid;
    for (u32 i = 0; i < chunk_edges; ++i) {
      found.targets[i] = edges::target(chunk.words[i]);
      there[i] = 0;
      if ((chunk.valid >> i & 1) != 0) there[i] = simt::load_readonly(distances_ + found.targets[i]);
    }
    for (u32 i = 0; i < chunk_edges; ++i) {
      if (there[i] != distance::extend(here, edges::weight(chunk.words[i]))) found.valid &= ~(1u << i);
    }
    return found;
  }

  /// Warp collective: the targets of which this lane was the last to be waited for join a wave.
  /// @param before what each target waited for @param mine how many of them waited for one
  SIMT_DEVICE void push(u32 wave, u32 first, const u32 (&targets)[chunk_edges], const u32 (&before)[chunk_edges],
                        u32 mine) {
    const u32 up_to_mine = simt::inclusive_scan(mine);
    const u32 sum = simt::shuffle(up_to_mine, simt::warp_size - 1);
    if (sum == 0) return;
    u32 base = 0;
    if (simt::lane() == 0) base = simt::atomic_add<order::relaxed, scope::block>(&words_->pushed[wave & 3], sum);
    u32 place = first + simt::shuffle(base, 0) + up_to_mine - mine;
    for (u32 i = 0; i < chunk_edges; ++i) {
      if (before[i] == 1) simt::store(order_ + place++, targets[i]);
    }
  }

  /// One lane: the score of a vertex is known. @param sum of c over its successors
  SIMT_DEVICE void settle(u32 vertex, double sum, bool is_source) {
    const double paths = simt::load(paths_ + vertex);
    if (paths > most_paths) {
      report(path_fault::too_many);
      simt::store(paths_ + vertex, 0.0);  // a number that what follows can be computed with
      return;
    }
    const double score = paths * sum;
    simt::store(paths_ + vertex, (1 + score) / paths);
    double counted = score;
    if (is_source) {
      counted = arguments_.endpoints != 0 ? static_cast<double>(simt::load(&words_->reached) - 1) : 0;
    } else if (arguments_.endpoints != 0) {
      counted += 1;
    }
    if (counted == 0) return;
    const fixed_score fixed = fixed_score_of(counted, arguments_.units);
    simt::reduce_add<order::relaxed, scope::device>(&arguments_.scores[vertex].whole, fixed.whole);
    if (fixed.fine != 0) simt::reduce_add<order::relaxed, scope::device>(&arguments_.scores[vertex].fine, fixed.fine);
  }

  const betweenness_arguments& arguments_;
  betweenness_words* words_;
  counters& counts_;
  double* paths_;
  u32* waiting_;
  u32* order_;
  u32* waves_;
  const u32* distances_ = nullptr;
};

}  // namespace mlmq::batches

SIMT_KERNEL_OF_BLOCKS(betweenness, mlmq::betweenness_arguments, mlmq::batches::blocks) {
  using namespace mlmq;
  auto* const words = reinterpret_cast<betweenness_words*>(simt::shared_memory());
  batches::counters counts(arguments.counters);
  batches::betweenness(arguments, words, counts).run();
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
