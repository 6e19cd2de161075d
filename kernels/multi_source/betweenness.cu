// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes (2001): counts the shortest paths from each source to every vertex, and from these the share
// of all paths that lead through a vertex. Distances are an input; a block takes the next source until none is left.
//
// An edge is tight when it is part of a shortest path: the distances of its ends differ by its weight. Tight edges form
// no cycle, except cycles of edges that add nothing to a distance. A vertex is done when all tight edges to it have
// been followed. Vertices are therefore processed in waves from the source: each adds its paths to its successors', and
// the next wave consists of the vertices whose last tight edge was followed. This needs no sorting by distance, and
// supports edges of weight 0.
//
// Then the waves are processed backwards: with c(v) = (1 + score(v)) / paths(v), Brandes' sum is score(v) = paths(v) *
// sum of c over the successors of v, which are all in later waves. No thread writes them while a vertex reads them, so
// no atomics are needed, and c overwrites the number of paths once that is no longer needed.
#include "multi_source/betweenness_abi.cuh"
#include "multi_source/block_worker.cuh"
#include "multi_source/rows.cuh"
#include "simt/float64.cuh"

namespace mlmq::multi_source {

class betweenness : block_worker<betweenness_arguments, betweenness_words> {
  static constexpr u32 no_vertex = 0xFFFFFFFFu;

  /// Some edges of a row. Those that are not tight have their bit cleared.
  struct tight_edges {
    u32 targets[chunk_edges];
    u32 valid;
  };

  /// Counts for each vertex the tight edges that lead to it.
  struct counting {
    betweenness& outer;
    SIMT_DEVICE void take(u32, const tight_edges& edges) {
      for (u32 i = 0; i < chunk_edges; ++i) {
        if ((edges.valid >> i & 1) != 0) {
          simt::reduce_add<order::relaxed, scope::device>(outer.open_predecessors_ + edges.targets[i], 1u);
        }
      }
    }
    SIMT_DEVICE void finish(u32) {}
    SIMT_DEVICE void finish_long(u32, u32) {}
  };

  /// Adds the paths of a vertex to its successors'; successors whose last tight edge this was form the next wave.
  struct forward {
    betweenness& outer;
    u32 next;   ///< number of the wave
    u32 first;  ///< its position in the order
    /// @param vertex no_vertex in lanes without edges
    SIMT_DEVICE void take(u32 vertex, const tight_edges& edges) {
      double paths = 0;
      u32 before[chunk_edges];
      if (edges.valid != 0) paths = simt::load(outer.paths_ + vertex);
      for (u32 i = 0; i < chunk_edges; ++i) {
        if ((edges.valid >> i & 1) != 0) simt::add_float64(outer.paths_ + edges.targets[i], paths);
      }
      for (u32 i = 0; i < chunk_edges; ++i) {
        before[i] = 0;
        if ((edges.valid >> i & 1) != 0) {
          before[i] = simt::atomic_add<order::relaxed, scope::device>(outer.open_predecessors_ + edges.targets[i], ~0u);
        }
      }
      u32 ready_count = 0;
      for (u32 i = 0; i < chunk_edges; ++i) ready_count += before[i] == 1 ? 1u : 0u;
      outer.push(next, first, edges.targets, before, ready_count);
    }
    SIMT_DEVICE void finish(u32) {}
    SIMT_DEVICE void finish_long(u32, u32) {}
  };

  /// Sums up c over the successors of a vertex.
  struct backward {
    betweenness& outer;
    bool is_source;
    double sum = 0;
    SIMT_DEVICE void take(u32, const tight_edges& edges) {
      double paths[chunk_edges];
      for (u32 i = 0; i < chunk_edges; ++i) {
        paths[i] = (edges.valid >> i & 1) != 0 ? simt::load(outer.paths_ + edges.targets[i]) : 0;
      }
      for (u32 i = 0; i < chunk_edges; ++i) sum += paths[i];
    }
    /// Finishes a row that this lane processed alone.
    SIMT_DEVICE void finish(u32 vertex) {
      if (vertex != no_vertex) outer.store_score(vertex, sum, is_source);
      sum = 0;
    }
    /// Finishes a row that all lanes processed together.
    SIMT_DEVICE void finish_long(u32 vertex, u32 owner) {
      for (u32 distance = simt::warp_size / 2; distance > 0; distance /= 2) {
        sum += simt::shuffle(sum, simt::lane() ^ distance);
      }
      if (simt::lane() == owner) outer.store_score(vertex, sum, is_source);
      sum = 0;
    }
  };

 public:
  SIMT_DEVICE betweenness(const betweenness_arguments& arguments, betweenness_words* words, counters& counts)
      : block_worker(arguments, words, counts),
        paths_(arguments.paths + u64{simt::block_index()} * arguments.vertices),
        open_predecessors_(arguments.open_predecessors + u64{simt::block_index()} * arguments.vertices),
        order_(arguments.order + u64{simt::block_index()} * arguments.vertices),
        waves_(arguments.waves + u64{simt::block_index()} * arguments.vertices) {}

  /// Runs until no source is left; called by all threads of the block.
  SIMT_DEVICE void run() {
    if (simt::thread_in_block() == 0) set_deadline();
    while (begin()) {
      u32 waves = 0;
      if (!count_paths(waves)) return;
      if (!compute_scores(waves)) return;
    }
  }

 private:
  /// Called by all threads. @return false if no search is left, or the run is over
  SIMT_DEVICE bool begin() {
    const auto reset = [&] {
      simt::store(&words_->reached, 0u);
      for (u32 i = 0; i < 4; ++i) simt::store(&words_->pushed[i], 0u);
    };
    take_search([&] { return claim(); }, reset);
    if (search() >= arguments_.searches || simt::load(&words_->stop) != 0) return false;
    distances_ = arguments_.distances + u64{search()} * arguments_.vertices;
    count_predecessors();
    simt::sync_block();
    const u32 source = simt::load_readonly(arguments_.sources + search());
    if (simt::load(open_predecessors_ + source) != 0) {
      report_fault(path_fault::cycle);
      return false;
    }
    if (simt::thread_in_block() == 0) {
      // The path counts of all other vertices are sums.
      simt::store(paths_ + source, 1.0);
      simt::store(order_, source);
    }
    simt::sync_block();
    return true;
  }

  /// Called by all threads: counts the tight edges that lead to each vertex.
  SIMT_DEVICE void count_predecessors() {
    u32 reached = 0;
    counting visitor{*this};
    visit_rows(
        0, arguments_.vertices,
        [&](u32 v) {
          const u32 distance = simt::load_readonly(distances_ + v);
          if (distance == unreached) return no_vertex;
          if (distance >= arguments_.saturated) report_fault(path_fault::too_far);
          simt::store(paths_ + v, 0.0);
          ++reached;
          return v;
        },
        visitor);
    reached = simt::warp_add(reached);
    if (simt::lane() == 0) simt::atomic_add<order::relaxed, scope::block>(&words_->reached, reached);
  }

  /// Called by all threads: counts paths, wave by wave. @param waves set to their number @return false if the run is
  /// over
  SIMT_DEVICE bool count_paths(u32& waves) {
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
      report_fault(path_fault::cycle);
      return false;
    }
    return true;
  }

  /// Called by all threads: computes scores, from the last wave to the source. @return false if the run is over
  SIMT_DEVICE bool compute_scores(u32 waves) {
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

  /// Ends the run; called by any thread.
  SIMT_DEVICE void report_fault(path_fault kind) {
    const u32 none = static_cast<u32>(path_fault::none);
    if (simt::atomic_compare_exchange<order::relaxed, scope::device>(&arguments_.fault->kind, none,
                                                                     static_cast<u32>(kind)) == none) {
      simt::store_atomic<order::relaxed, scope::device>(&arguments_.fault->search, search());
    }
    stop(arguments_.control, run_status::aborted);
  }

  /// Called by all threads: passes to the visitor the tight edges of the vertices at positions `begin` to `end` - 1.
  /// Each lane has its own row, but all lanes of a warp share long rows.
  /// @param vertex_at returns the vertex of a position, or no_vertex
  template <class VertexAt, class Visitor>
  SIMT_DEVICE void visit_rows(u32 begin, u32 end, VertexAt vertex_at, Visitor& visitor) {
    const auto* const offsets = static_cast<const u32*>(arguments_.offsets);
    const auto* const edge_words = static_cast<const edges::word*>(arguments_.edges);
    for (u32 i = begin + simt::warp_in_block() * simt::warp_size; i < end; i += simt::block_threads()) {
      u32 vertex = no_vertex;
      u32 row = 0;
      u32 row_end = 0;
      u32 own_distance = 0;
      if (i + simt::lane() < end) vertex = vertex_at(i + simt::lane());
      if (vertex != no_vertex) {
        row = simt::load_readonly(offsets + vertex);
        row_end = simt::load_readonly(offsets + vertex + 1);
        own_distance = simt::load_readonly(distances_ + vertex);
        counts_.add(counter::pops, 1);
        counts_.add(counter::relaxations, row_end - row);
      }
      const bool is_long = row_end - row >= heavy_degree;
      const u32 own_end = is_long ? row : row_end;
      for (u32 k = row; simt::any(k < own_end); k += chunk_edges) {
        visitor.take(vertex, tight_of(own_distance, load_chunk(edge_words, k, 1, own_end)));
      }
      visitor.finish(is_long ? no_vertex : vertex);
      for (u32 pending_lanes = simt::ballot(is_long); pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
        const u32 owner = simt::first_set(pending_lanes);
        const u32 long_vertex = simt::shuffle(vertex, owner);
        const u32 distance = simt::shuffle(own_distance, owner);
        const u32 last = simt::shuffle(row_end, owner);
        for (u32 k = simt::shuffle(row, owner); k < last; k += chunk_edges * simt::warp_size) {
          visitor.take(long_vertex,
                       tight_of(distance, load_chunk(edge_words, k + simt::lane(), simt::warp_size, last)));
        }
        visitor.finish_long(long_vertex, owner);
      }
    }
  }

  /// Returns the tight edges of a vertex at distance `vertex_distance`.
  SIMT_DEVICE tight_edges tight_of(u32 vertex_distance, const edge_chunk& chunk) const {
    tight_edges tight;
    u32 target_distances[chunk_edges];
    tight.valid = chunk.valid;
    for (u32 i = 0; i < chunk_edges; ++i) {
      tight.targets[i] = edges::target(chunk.words[i]);
      target_distances[i] = 0;
      if ((chunk.valid >> i & 1) != 0) target_distances[i] = simt::load_readonly(distances_ + tight.targets[i]);
    }
    for (u32 i = 0; i < chunk_edges; ++i) {
      if (target_distances[i] != distance::extend(vertex_distance, edges::weight(chunk.words[i])))
        tight.valid &= ~(1u << i);
    }
    return tight;
  }

  /// Warp collective: adds to a wave the targets whose last tight edge was followed by this lane.
  /// @param before each target's count of unfollowed edges before @param ready_count how many of the counts were one
  SIMT_DEVICE void push(u32 wave, u32 first, const u32 (&targets)[chunk_edges], const u32 (&before)[chunk_edges],
                        u32 ready_count) {
    const u32 ready_up_to_lane = simt::inclusive_scan(ready_count);
    const u32 sum = simt::shuffle(ready_up_to_lane, simt::warp_size - 1);
    if (sum == 0) return;
    u32 base = 0;
    if (simt::lane() == 0) base = simt::atomic_add<order::relaxed, scope::block>(&words_->pushed[wave & 3], sum);
    u32 place = first + simt::shuffle(base, 0) + ready_up_to_lane - ready_count;
    for (u32 i = 0; i < chunk_edges; ++i) {
      if (before[i] == 1) simt::store(order_ + place++, targets[i]);
    }
  }

  /// Called by one lane: stores the score of a vertex. @param sum of c over its successors
  SIMT_DEVICE void store_score(u32 vertex, double sum, bool is_source) {
    const double paths = simt::load(paths_ + vertex);
    if (paths > most_paths) {
      report_fault(path_fault::too_many);
      simt::store(paths_ + vertex, 0.0);  // a number that later steps can compute with
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

  double* paths_;
  u32* open_predecessors_;
  u32* order_;
  u32* waves_;
  const u32* distances_ = nullptr;
};

}  // namespace mlmq::multi_source

SIMT_KERNEL_OF_BLOCKS(betweenness, mlmq::betweenness_arguments, mlmq::multi_source::blocks) {
  using namespace mlmq;
  auto* const words = reinterpret_cast<betweenness_words*>(simt::shared_memory());
  multi_source::counters counts(arguments.counters);
  multi_source::betweenness(arguments, words, counts).run();
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
