// SPDX-License-Identifier: Apache-2.0
// Shortest paths from many sources: each block takes the next search that nobody has begun, until none is left, and does it
// alone, by near and far piles (Davidson, Baxter, Garland, Owens 2014). One search has little to do at a time, and waits for
// memory; side by side, so many are under way that the waiting does not matter.
//
// A round expands the frontier; what becomes shorter is the next frontier if it is below the threshold, else it goes to the far
// pile. When the frontier is empty, all that is below the threshold is final: the threshold rises above the least of the
// far pile, by Δ. A vertex is pushed by whoever made its distance shorter, once for each time.
//
// Distances are read through the multiprocessor's own cache: only this block writes them.
#include "batches/answer.cuh"
#include "batches/frontier.cuh"
#include "batches/rows.cuh"

namespace mlmq::batches {

class block_search {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE block_search(const batch_arguments& arguments, block_search_words* words, frontier& open,
                           counters& counts)
      : arguments_(arguments), words_(words), open_(open), counts_(counts) {}

  /// All threads of the block: searches until there are no more.
  SIMT_DEVICE void run() {
    if (simt::thread_in_block() == 0) simt::store(&words_->deadline, simt::clock_ns() + arguments_.time_limit_ns);
    while (begin()) {
      u32 round = 0;
      bool goes_on = true;
      while (goes_on) {
        const u32 count = open_.count(round);
        if (count != 0) {
          expand(round, count);
          ++round;
          simt::sync_block();
          goes_on = round % 64 != 0 || !is_stopped();
        } else {
          goes_on = raise(round);
        }
      }
      if (simt::load(&words_->stop) != 0) return;
      finish();
    }
  }

 private:
  /// @return false: no search is left
  SIMT_DEVICE bool begin() {
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      simt::store(&words_->stop, is_over(arguments_.control, simt::load(&words_->deadline)) ? 1u : 0u);
      simt::store(&words_->search, simt::atomic_add<order::relaxed, scope::device>(&arguments_.control->next, 1u));
      simt::store(&words_->digest, u64{0});
      simt::store(&words_->reached, 0u);
      simt::store(&words_->farthest, 0u);
    }
    simt::sync_block();
    search_ = simt::load(&words_->search);
    if (search_ >= arguments_.searches || simt::load(&words_->stop) != 0) return false;
    distances_ = arguments_.kept != nullptr ? arguments_.kept + u64{search_} * arguments_.vertices
                                            : arguments_.distances + u64{simt::block_index()} * arguments_.vertices;
    for (u32 v = simt::thread_in_block(); v < arguments_.vertices; v += simt::block_threads())
      simt::store(distances_ + v, unreached);
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      const u32 source = simt::load_readonly(arguments_.sources + search_);
      simt::store(distances_ + source, 0u);
      open_.begin(source);
    }
    threshold_ = arguments_.delta;
    simt::sync_block();
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

  SIMT_DEVICE void expand(u32 round, u32 count) {
    if (simt::thread_in_block() == 0) {
      open_.clear_after(round);
      counts_.add(counter::supersteps, 1);
    }
    const u32 warp_first = simt::warp_in_block() * simt::warp_size;
    for (u32 i = warp_first; i < count; i += simt::block_threads()) {
      const bool valid = i + simt::lane() < count;
      element e = 0;
      if (valid) e = open_.at(round, i + simt::lane());
      if (valid) counts_.add(counter::pops, 1);
      if constexpr (ell_width != 0) {
        expand_in_place(round + 1, vertex_of(e), distance_of(e), valid);
      } else {
        expand_between_bounds(round + 1, vertex_of(e), distance_of(e), valid && !is_stale(e));
      }
    }
  }

  SIMT_DEVICE bool is_stale(element e) {
    if (simt::load_of_block(distances_ + vertex_of(e)) >= distance_of(e)) return false;
    counts_.add(counter::stale_pops, 1);
    return true;
  }

  /// Warp collective: rows in place, then what they go on in.
  SIMT_DEVICE void expand_in_place(u32 next, u32 vertex, u32 from, bool valid) {
    const auto* const rows = static_cast<const edges::word*>(arguments_.ell_rows);
    u32 row = vertex;
    bool is_long = false;
    bool is_first = true;
    for (bool goes_on = valid; simt::any(goes_on);) {
      u32 last_target = no_edge;
      for (u32 begin = 0; begin < ell_width; begin += chunk_edges) {
        edge_chunk chunk;
        chunk.valid = 0;
        for (u32 i = 0; i < chunk_edges; ++i) chunk.words[i] = 0;
        if (goes_on) {
          chunk = load_chunk(rows + u64{row} * ell_width + begin);
          if (begin == 0 && edges::target(chunk.words[0]) == long_row) is_long = true;
          last_target = edges::target(chunk.words[chunk_edges - 1]);
        }
        // Asked for after the row, so that both are under way together.
        if (is_first && goes_on && is_stale(make_element(vertex, from))) {
          goes_on = false;
          is_long = false;
          chunk.valid = 0;
          last_target = no_edge;
        }
        is_first = false;
        relax(next, from, chunk);
      }
      goes_on = goes_on && !is_long && last_target >= continuation && last_target < long_row;
      row = last_target & ~continuation;
    }
    if (simt::any(is_long)) expand_between_bounds(next, vertex, from, is_long);
  }

  /// Warp collective: short rows lane by lane, long ones by all lanes together.
  SIMT_DEVICE void expand_between_bounds(u32 next, u32 vertex, u32 from, bool valid) {
    const auto* const offsets = static_cast<const u32*>(arguments_.offsets);
    const auto* const all = static_cast<const edges::word*>(arguments_.edges);
    u32 begin = 0;
    u32 end = 0;
    if (valid) {
      begin = simt::load_readonly(offsets + vertex);
      end = simt::load_readonly(offsets + vertex + 1);
    }
    const bool is_long = end - begin >= heavy_degree;
    const u32 longest = simt::warp_max(is_long ? 0 : end - begin);
    for (u32 i = 0; i < longest; i += chunk_edges) {
      relax(next, from, load_chunk(all, begin + i, 1, is_long ? begin : end));
    }
    for (u32 left = simt::ballot(is_long); left != 0; left &= left - 1) {
      const u32 owner = simt::first_set(left);
      const u32 row_end = simt::shuffle(end, owner);
      const u32 row_from = simt::shuffle(from, owner);
      for (u32 i = simt::shuffle(begin, owner); i < row_end; i += chunk_edges * simt::warp_size) {
        relax(next, row_from, load_chunk(all, i + simt::lane(), simt::warp_size, row_end));
      }
    }
  }

  /// Warp collective.
  /// @param from the distance of the vertex whose edges these are
  SIMT_DEVICE void relax(u32 next, u32 from, const edge_chunk& chunk) {
    u32 targets[chunk_edges];
    u32 lengths[chunk_edges];
    u32 before[chunk_edges];
    u32 shorter = 0;
    for (u32 i = 0; i < chunk_edges; ++i) {
      targets[i] = edges::target(chunk.words[i]);
      lengths[i] = distance::extend(from, edges::weight(chunk.words[i]));
      before[i] = 0;
      if ((chunk.valid >> i & 1) != 0) before[i] = simt::load_of_block(distances_ + targets[i]);
    }
    for (u32 i = 0; i < chunk_edges; ++i) {
      if (lengths[i] < before[i] && lengths[i] <= arguments_.cutoff) shorter |= 1u << i;
    }
    // All are under way before the first answer is waited for.
    for (u32 i = 0; i < chunk_edges; ++i) {
      if ((shorter >> i & 1) != 0) {
        before[i] = simt::atomic_min<order::relaxed, scope::device>(distances_ + targets[i], lengths[i]);
      }
    }
    counts_.add(counter::relaxations, simt::popcount(chunk.valid));
    counts_.add(counter::distance_atomics, simt::popcount(shorter));
    u32 near = 0;
    for (u32 i = 0; i < chunk_edges; ++i) {
      if (before[i] <= lengths[i]) shorter &= ~(1u << i);
      if (lengths[i] < threshold_) near |= 1u << i;
    }
    counts_.add(counter::updates, simt::popcount(shorter));
    open_.push(next, targets, lengths, near & shorter, shorter);
  }

  /// All threads: the frontier is empty. @return whether there is more to search for
  SIMT_DEVICE bool raise(u32 round) {
    const u32 far = open_.far_count();
    const u32 far_min = simt::load(&words_->far_min);
    // Now and then: it takes longer than the rest of this function.
    if (far == 0 || are_settled() || (++raises_ % 16 == 0 && is_stopped())) return false;
    const u64* const from = open_.turn_far();
    threshold_ = distance::extend(far_min, arguments_.delta);
    if (threshold_ <= far_min) threshold_ = far_min + 1;
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      simt::store(&words_->far, 0u);
      simt::store(&words_->far_min, ~0u);
      counts_.add(counter::bucket_switches, 1);
    }
    simt::sync_block();
    const u32 warp_first = simt::warp_in_block() * simt::warp_size;
    for (u32 i = warp_first; i < far; i += simt::block_threads()) {
      u32 vertex[1] = {0};
      u32 length[1] = {0};
      bool live = i + simt::lane() < far;
      if (live) {
        const element e = simt::load(from + i + simt::lane());
        vertex[0] = vertex_of(e);
        length[0] = distance_of(e);
        live = simt::load_of_block(distances_ + vertex[0]) >= length[0];
        if (live) counts_.add(counter::resplits, 1);
      }
      const bool near = live && length[0] < threshold_;
      open_.push(round, vertex, length, near ? 1u : 0u, live ? 1u : 0u);
    }
    simt::sync_block();
    return true;
  }

  /// All threads: whether there are targets, and the distances of all are final.
  SIMT_DEVICE bool are_settled() {
    if (arguments_.target_count == 0) return false;
    if (simt::thread_in_block() == 0) simt::store(&words_->open, 0u);
    simt::sync_block();
    bool open = false;
    for (u32 i = simt::thread_in_block(); i < arguments_.target_count && !open; i += simt::block_threads()) {
      open = simt::load_of_block(distances_ + simt::load_readonly(arguments_.targets + i)) >= threshold_;
    }
    if (open) simt::store_atomic<order::relaxed, scope::block>(&words_->open, 1u);
    simt::sync_block();
    return simt::load(&words_->open) == 0;
  }

  /// All threads: writes down the answer. What is not final, because the targets were settled before, is not reached.
  SIMT_DEVICE void finish() {
    const bool has_targets = arguments_.target_count != 0;
    simt::sync_block();
    for (u32 i = simt::thread_in_block(); has_targets && i < arguments_.target_count; i += simt::block_threads()) {
      const u32 found = simt::load(distances_ + simt::load_readonly(arguments_.targets + i));
      simt::store(arguments_.target_distances + u64{search_} * arguments_.target_count + i, found);
    }
    partial_answer mine;
    for (u32 v = simt::thread_in_block(); v < arguments_.vertices && !has_targets; v += simt::block_threads()) {
      mine.add(v, simt::load(distances_ + v));
    }
    const partial_answer sum = sum_of_warp(mine);
    if (simt::lane() == 0) {
      simt::atomic_add<order::relaxed, scope::block>(&words_->digest, sum.digest);
      simt::atomic_add<order::relaxed, scope::block>(&words_->reached, sum.reached);
    }
    // There is no atomic maximum; complements have a minimum.
    if (simt::lane() == 0) keep_farthest(sum.farthest);
    simt::sync_block();
    if (simt::thread_in_block() != 0) return;
    batch_answer* const answer = arguments_.answers + search_;
    simt::store(&answer->digest, simt::load(&words_->digest));
    simt::store(&answer->reached, simt::load(&words_->reached));
    simt::store(&answer->farthest, simt::load(&words_->farthest));
  }

  SIMT_DEVICE void keep_farthest(u32 found) {
    u32 known = simt::load_atomic<order::relaxed, scope::block>(&words_->farthest);
    while (known < found) {
      const u32 seen = simt::atomic_compare_exchange<order::relaxed, scope::block>(&words_->farthest, known, found);
      if (seen == known) return;
      known = seen;
    }
  }

  const batch_arguments& arguments_;
  block_search_words* words_;
  frontier& open_;
  counters& counts_;
  u32* distances_ = nullptr;
  u32 search_ = 0;
  u32 threshold_ = 0;
  u32 raises_ = 0;
};

}  // namespace mlmq::batches

SIMT_KERNEL_OF_BLOCKS(block_search, mlmq::batch_arguments, mlmq::batches::blocks) {
  using namespace mlmq;
  auto* const words = reinterpret_cast<block_search_words*>(simt::shared_memory());
  auto* const near = reinterpret_cast<u64*>(simt::shared_memory() + (sizeof(block_search_words) + 15) / 16 * 16);
  batches::counters counts(arguments.counters);
  batches::frontier open(arguments, words, near);
  batches::block_search(arguments, words, open, counts).run();
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
