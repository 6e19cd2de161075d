// SPDX-License-Identifier: Apache-2.0
// Shortest paths from many sources, 32 at a time: lane i of every warp works on the i-th search of the group. The 32
// distances of a vertex are adjacent, so an edge is read once for all searches, and its updates touch one line of
// memory. That pays if searches from different sources reach the same vertices at the same time, that is, if paths have
// few hops.
//
// A part of the grid works on a group, round by round (Bellman-Ford with a frontier): every row of the frontier is
// relaxed, and the vertices that became nearer to any source are the next frontier. Rows are cut into pieces, so that a
// long row occupies many warps. A vertex is in a frontier once: its stamp is the round for which it was last put there.
//
// With targets, vertices that are farther than the farthest target known after a round are not expanded, because no
// path through them to a target is shorter. So a search ends soon after the last target is final.
#include "block_barrier.cuh"
#include "multi_source/answer.cuh"
#include "multi_source/rows.cuh"
#include "multi_source/stop_watch.cuh"

namespace mlmq::multi_source {

/// Barrier over the blocks of a part of the grid, which work together independently of the other parts.
using part_barrier = block_barrier<barrier_periods{.leader = 8, .abort = 64, .clock = 64, .pause = 1}, run_status>;

class group_search {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE group_search(const multi_source_arguments& arguments, group_search_words* words, u32* tile, u64 deadline,
                           counters& counts)
      : arguments_(arguments),
        words_(words),
        tile_(tile),
        counts_(counts),
        blocks_(simt::grid_blocks() / arguments.part_count),
        part_(simt::block_index() / blocks_),
        warps_(blocks_ * (simt::block_threads() / simt::warp_size)),
        warp_(simt::block_index() % blocks_ * (simt::block_threads() / simt::warp_size) + simt::warp_in_block()),
        control_(arguments.parts + part_),
        barrier_(watch_of(arguments.control, deadline), &control_->arrived, &control_->generation, blocks_,
                 simt::block_index() == part_ * blocks_, &words->continues),
        distances_(words_at(arguments.distances) + u64{part_} * arguments.vertices * simt::warp_size),
        stamps_(arguments.stamps + u64{part_} * arguments.vertices),
        pieces_(arguments.pieces + u64{part_} * 2 * arguments.piece_capacity) {}

  /// Runs searches until none is left; called by all threads of the grid.
  SIMT_DEVICE void run() {
    if (part_ >= arguments_.part_count) return;  // left-over blocks
    while (begin()) {
      u32 round = 0;
      for (;; ++round) {
        const u32 count = simt::load_atomic<order::relaxed, scope::device>(&control_->pieces[round % 3]);
        if (count == 0) break;
        bound(round);
        expand(round, count);
        if (!barrier_.wait()) return;
      }
      finish();
    }
  }

 private:
  SIMT_DEVICE bool is_leader() const { return warp_ == 0 && simt::lane() == 0; }
  SIMT_DEVICE word* distance_at(u32 vertex) const { return distances_ + u64{vertex} * simt::warp_size + simt::lane(); }

  /// Returns a stamp that is smaller for a later round, because there is only an atomic minimum.
  SIMT_DEVICE static u32 stamp_of(u32 round) { return ~(round + 1); }

  /// @return false if no group is left, or the run is over
  SIMT_DEVICE bool begin() {
    if (!barrier_.wait()) return false;  // all have written the last answers
    if (is_leader()) {
      simt::store_atomic<order::relaxed, scope::device>(
          &control_->group,
          simt::atomic_add<order::relaxed, scope::device>(&arguments_.control->next, simt::warp_size));
      for (u32 i = 0; i < 3; ++i) simt::store_atomic<order::relaxed, scope::device>(&control_->pieces[i], 0u);
    }
    if (warp_ == 0) {
      for (u32 i = 0; i < 3; ++i) {
        simt::store_atomic<order::relaxed, scope::device>(&control_->farthest_targets[i][simt::lane()], ~0u);
      }
    }
    bound_ = first_bound();
    for (u64 v = warp_; v < arguments_.vertices; v += warps_)
      simt::store(distance_at(static_cast<u32>(v)), width::none);
    for (u64 v = u64{warp_} * simt::warp_size + simt::lane(); v < arguments_.vertices;
         v += u64{warps_} * simt::warp_size) {
      simt::store(stamps_ + v, ~0u);
    }
    if (!barrier_.wait()) return false;
    group_ = simt::load_atomic<order::relaxed, scope::device>(&control_->group);
    if (group_ >= arguments_.searches) return false;
    if (warp_ == 0) push_sources();
    return barrier_.wait();
  }

  SIMT_DEVICE void push_sources() {
    const bool valid = group_ + simt::lane() < arguments_.searches;
    u32 source = 0;
    if (valid) {
      source = simt::load_readonly(arguments_.sources + group_ + simt::lane());
      simt::store_atomic<order::relaxed, scope::device>(distance_at(source), word{0});
    }
    push(0, source, valid);
  }

  /// Warp collective: queues the rows of the vertices of lanes with `valid` for round `round`, once each.
  SIMT_DEVICE void push(u32 round, u32 vertex, bool valid) {
    u32 begin = 0;
    u32 end = 0;
    const u32 stamp = stamp_of(round);
    if (valid && simt::load_atomic<order::relaxed, scope::device>(stamps_ + vertex) > stamp &&
        simt::atomic_min<order::relaxed, scope::device>(stamps_ + vertex, stamp) > stamp) {
      const auto* const offsets = static_cast<const u32*>(arguments_.offsets);
      begin = simt::load_readonly(offsets + vertex);
      end = simt::load_readonly(offsets + vertex + 1);
    }
    const u32 piece_count = (end - begin + piece_edges - 1) / piece_edges;
    const u32 pieces_up_to_lane = simt::inclusive_scan(piece_count);
    const u32 sum = simt::shuffle(pieces_up_to_lane, simt::warp_size - 1);
    if (sum == 0) return;
    u32 base = 0;
    if (simt::lane() == 0) {
      base = simt::atomic_add<order::relaxed, scope::device>(&control_->pieces[round % 3], sum);
      counts_.add(counter::queue_atomics, 1);
    }
    base = simt::shuffle(base, 0) + pieces_up_to_lane - piece_count;
    row_piece* const pieces = pieces_ + u64{round & 1} * arguments_.piece_capacity + base;
    for (u32 i = 0; i < piece_count; ++i) {
      simt::store(&pieces[i].vertex, vertex);
      simt::store(&pieces[i].first, begin + i * piece_edges);
    }
  }

  /// Called by all threads: computes this round's bound from the previous round's results, and its contribution to the
  /// next bound. Each warp looks at some targets.
  SIMT_DEVICE void bound(u32 round) {
    if (arguments_.target_count == 0) return;
    if (round > 0) {
      const u32 farthest =
          ~simt::load_atomic<order::relaxed, scope::device>(&control_->farthest_targets[(round - 1) % 3][simt::lane()]);
      bound_ = farthest < first_bound() ? farthest : first_bound();
    }
    // The previous round's flag is being read, and this round's is written.
    if (warp_ == 0) {
      simt::store_atomic<order::relaxed, scope::device>(&control_->farthest_targets[(round + 1) % 3][simt::lane()],
                                                        ~0u);
    }
    u32 farthest = 0;
    for (u32 i = warp_; i < arguments_.target_count; i += warps_) {
      const u32 key = width::key_of(
          simt::load_atomic<order::relaxed, scope::device>(distance_at(simt::load_readonly(arguments_.targets + i))));
      if (key > farthest) farthest = key;
    }
    // There is no atomic maximum; use the minimum of complements.
    if (warp_ < arguments_.target_count) {
      static_cast<void>(simt::atomic_min<order::relaxed, scope::device>(
          &control_->farthest_targets[round % 3][simt::lane()], ~farthest));
    }
  }

  SIMT_DEVICE void expand(u32 round, u32 count) {
    if (is_leader()) {
      simt::store_atomic<order::relaxed, scope::device>(&control_->pieces[(round + 2) % 3], 0u);
      counts_.add(counter::supersteps, 1);
    }
    const row_piece* const pieces = pieces_ + u64{round & 1} * arguments_.piece_capacity;
    const auto* const offsets = static_cast<const u32*>(arguments_.offsets);
    for (u32 i = warp_; i < count; i += warps_) {
      const u32 vertex = simt::load(&pieces[i].vertex);
      const u32 first = simt::load(&pieces[i].first);
      const u32 row_end = simt::load_readonly(offsets + vertex + 1);
      const u32 end = row_end - first < piece_edges ? row_end : first + piece_edges;
      const word vertex_distance = simt::load_atomic<order::relaxed, scope::device>(distance_at(vertex));
      if (simt::lane() == 0) counts_.add(counter::pops, 1);
      if (!simt::any(is_open(vertex_distance))) continue;
      for (u32 begin = first; begin < end; begin += simt::warp_size) relax(round + 1, vertex_distance, begin, end);
    }
  }

  /// Returns whether a search expands a vertex at this distance.
  SIMT_DEVICE bool is_open(word vertex_distance) const {
    if constexpr (width::has_exact_keys) {
      return vertex_distance != width::none && vertex_distance <= bound_;
    } else {
      return vertex_distance != width::none && width::key_of(vertex_distance) <= bound_;
    }
  }

  /// Returns the key of the cutoff.
  SIMT_DEVICE u32 first_bound() const { return width::key_of(cutoff_of(arguments_)); }

  /// Warp collective: relaxes up to 32 edges, each for all lanes' searches.
  /// @param vertex_distance the vertex's distance in this lane's search
  SIMT_DEVICE void relax(u32 next, word vertex_distance, u32 begin, u32 end) {
    constexpr u32 edges_at_once = 8;
    const auto* const edge_words = static_cast<const edges::word*>(arguments_.edges);
    edges::word edge = {};
    if (begin + simt::lane() < end) edge = simt::load_readonly(edge_words + begin + simt::lane());
    const u32 target = edges::target(edge);
    const word weight = edges::weight(edge);
    const u32 count = end - begin < simt::warp_size ? end - begin : simt::warp_size;
    bool changed = false;  // target of this lane's edge
    for (u32 i = 0; i < count; i += edges_at_once) {
      word lengths[edges_at_once];
      word before[edges_at_once];
      word* places[edges_at_once];
      for (u32 k = 0; k < edges_at_once; ++k) {
        places[k] = distance_at(simt::shuffle(target, i + k));
        lengths[k] = distance::extend(vertex_distance, simt::shuffle(weight, i + k));
        before[k] = 0;
        if (i + k < count && is_open(vertex_distance))
          before[k] = simt::load_atomic<order::relaxed, scope::device>(places[k]);
      }
      for (u32 k = 0; k < edges_at_once; ++k) {
        bool shorter = lengths[k] < before[k] && width::key_of(lengths[k]) <= bound_;
        // The comparison of keys lets slightly more through.
        if constexpr (!width::has_exact_keys) shorter = shorter && lengths[k] <= cutoff_of(arguments_);
        if (shorter) {
          static_cast<void>(simt::atomic_min<order::relaxed, scope::device>(places[k], lengths[k]));
          counts_.add(counter::updates, 1);
        }
        if (simt::any(shorter) && simt::lane() == i + k) changed = true;
      }
    }
    if (simt::lane() == 0) counts_.add(counter::relaxations, count);
    push(next, target, changed);
  }

  /// Called by all threads of the part: writes the answers of the group, and the distances if they are kept.
  SIMT_DEVICE void finish() {
    const u32 thread = simt::thread_in_block();
    if (thread < simt::warp_size) {
      simt::store(words_->digests + thread, u64{0});
      simt::store(words_->reached + thread, 0u);
      simt::store(words_->farthest + thread, ~0u);
    }
    simt::sync_block();
    partial_answer lane_answer;
    for (u64 v = warp_; v < arguments_.vertices; v += warps_) {
      lane_answer.add(static_cast<u32>(v),
                      simt::load_atomic<order::relaxed, scope::device>(distance_at(static_cast<u32>(v))));
    }
    simt::atomic_add<order::relaxed, scope::block>(words_->digests + simt::lane(), lane_answer.digest);
    simt::atomic_add<order::relaxed, scope::block>(words_->reached + simt::lane(), lane_answer.reached);
    simt::atomic_min<order::relaxed, scope::block>(words_->farthest + simt::lane(), ~lane_answer.farthest);
    simt::sync_block();
    const u32 search = group_ + thread;
    if (thread < simt::warp_size && search < arguments_.searches) {
      multi_source_answer* const answer = arguments_.answers + search;
      simt::reduce_add<order::relaxed, scope::device>(&answer->digest, simt::load(words_->digests + thread));
      simt::reduce_add<order::relaxed, scope::device>(&answer->reached, simt::load(words_->reached + thread));
      raise_to<scope::device>(&answer->farthest, ~simt::load(words_->farthest + thread));
    }
    for (u32 i = warp_; i < arguments_.target_count; i += warps_) {
      const u32 search = group_ + simt::lane();
      const word target_distance =
          simt::load_atomic<order::relaxed, scope::device>(distance_at(simt::load_readonly(arguments_.targets + i)));
      if (search < arguments_.searches) {
        simt::store(words_at(arguments_.target_distances) + u64{search} * arguments_.target_count + i, target_distance);
      }
    }
    if (arguments_.stored_distances != nullptr) store_distances();
  }

  /// Called by all threads of the part: writes the distances of the group's searches.
  SIMT_DEVICE void store_distances() {
    if constexpr (width::has_exact_keys) {
      store_words<0, 1>();
    } else {
      // Tiles of whole distances would not fit.
      store_words<0, 2>();
      store_words<1, 2>();
    }
  }

  /// Writes the word at `index` of all distances, which have `words` each. Transposes 32 vertices of 32 searches at a
  /// time in shared memory: full lines in both directions.
  template <u32 index, u32 words>
  SIMT_DEVICE void store_words() {
    constexpr u32 side = simt::warp_size;
    u32* const tile = tile_ + simt::warp_in_block() * tile_words;
    for (u64 first = u64{warp_} * side; first < arguments_.vertices; first += u64{warps_} * side) {
      const u32 begin = static_cast<u32>(first);
      const u32 count = arguments_.vertices - begin < side ? arguments_.vertices - begin : side;
      for (u32 i = 0; i < count; ++i) {
        const u64 whole = simt::load_atomic<order::relaxed, scope::device>(distance_at(begin + i));
        simt::store(tile + i * (side + 1) + simt::lane(), static_cast<u32>(whole >> 32 * index));
      }
      simt::sync_warp();
      for (u32 i = 0; i < side && group_ + i < arguments_.searches; ++i) {
        if (simt::lane() < count) {
          const u64 place = u64{group_ + i} * arguments_.vertices + begin + simt::lane();
          simt::store(arguments_.stored_distances + words * place + index,
                      simt::load(tile + simt::lane() * (side + 1) + i));
        }
      }
      simt::sync_warp();
    }
  }

  const multi_source_arguments& arguments_;
  group_search_words* words_;
  u32* tile_;
  counters& counts_;
  u32 blocks_;  // blocks of a part
  u32 part_;
  u32 warps_;  // of the part
  u32 warp_;   // number of this warp in the part
  part_control* control_;
  part_barrier barrier_;
  word* distances_;
  u32* stamps_;
  row_piece* pieces_;
  u32 group_ = 0;
  u32 bound_ = 0;  // bound of this lane's search: a key
};

}  // namespace mlmq::multi_source

SIMT_KERNEL_OF_BLOCKS(group_search, mlmq::multi_source_arguments, mlmq::multi_source::blocks) {
  using namespace mlmq;
  auto* const words = reinterpret_cast<group_search_words*>(simt::shared_memory());
  auto* const tile = reinterpret_cast<u32*>(simt::shared_memory() + (sizeof(group_search_words) + 15) / 16 * 16);
  multi_source::counters counts(arguments.counters);
  multi_source::group_search(arguments, words, tile, simt::clock_ns() + arguments.time_limit_ns, counts).run();
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
