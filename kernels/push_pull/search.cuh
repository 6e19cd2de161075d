// SPDX-License-Identifier: Apache-2.0
// Breadth-first search level by level in one persistent kernel: a level is pushed along its edges, or pulled by the
// vertices that have not been found. Rows are cut into pieces when their vertex is found, so that no warp has much more
// work than the others, however long a row is.
//
// All blocks are resident together. A superstep ends with a barrier: each block arrives once on one word, which also
// counts the pieces found, so that passing the barrier and learning the size of the next level are one load. A level
// that fits into the shared memory of one block is expanded by block 0 alone, level after level, with one block barrier
// each; it calls the other blocks when a level outgrows it.
#pragma once

#include "push_pull/pull.cuh"
#include "push_pull/push.cuh"

namespace mlmq::push_pull {

class level_search {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param levels two of pieces_in_block() pieces, in shared memory
  SIMT_DEVICE level_search(const arguments& search_arguments, block_words* block, piece* levels, found_pieces& output,
                           row_pusher& pusher, row_puller& puller, counters& counts)
      : arguments_(search_arguments),
        control_(search_arguments.control),
        block_(block),
        levels_(levels),
        output_(output),
        pusher_(pusher),
        puller_(puller),
        counts_(counts) {}

  /// Runs the search; called by all threads of all blocks.
  SIMT_DEVICE void run() {
    begin();
    step_kind next = step_kind::narrow;
    u32 side = 0;
    while (next != step_kind::end) {
      switch (next) {
        case step_kind::narrow:
          next = simt::block_index() == 0 ? go_on_alone() : wait_for_call();
          continue;
        case step_kind::push:
          push();
          supersteps::write_out(output_, block_, arguments_.pieces);
          break;
        case step_kind::gather:
          side = 0;
          puller_.gather(supersteps::global_warp(), supersteps::global_warps(), side);
          break;
        case step_kind::pull_first:
          side = 0;
          puller_.pull_first(supersteps::global_warp(), supersteps::global_warps(), side, level_ + 1);
          supersteps::write_out(output_, block_, arguments_.pieces);
          break;
        case step_kind::pull:
          puller_.pull(supersteps::global_warp(), supersteps::global_warps(), side, level_ + 1);
          side ^= 1;
          supersteps::write_out(output_, block_, arguments_.pieces);
          break;
        case step_kind::end:
          break;
      }
      next = synchronise(next);
    }
  }

 private:
  SIMT_DEVICE u32 warps() const { return simt::block_threads() / simt::warp_size; }

  SIMT_DEVICE void begin() {
    if (simt::thread_in_block() == 0) {
      simt::store(&block_->calls, 0u);
      simt::store(&block_->is_over, 0u);
      simt::store(&block_->stop, 0u);
      for (u32 i = 0; i < 4; ++i) clear(block_->sums + i);
    }
    rest_ = arguments_.edge_count;
    if (simt::block_index() != 0) {
      simt::sync_block();
      return;
    }
    u32* const next = reinterpret_cast<u32*>(arguments_.next_control);
    for (u32 i = simt::thread_in_block(); i < sizeof(control_words) / sizeof(u32); i += simt::block_threads()) {
      simt::store(next + i, 0u);
    }
    // No other block reads a distance before this block has called it.
    const u64 fills = arguments_.fills != 0 ? u64{arguments_.vertex_count} + 1 : 0;
    for (u64 v = simt::thread_in_block(); v < fills; v += simt::block_threads()) {
      simt::store(arguments_.distances + v, unreached);
    }
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      simt::store(&block_->deadline, simt::clock_ns() + arguments_.time_limit_ns);
      simt::store_atomic<order::relaxed, scope::device>(arguments_.distances + arguments_.source, 0u);
    }
  }

  SIMT_DEVICE static void clear(block_sum* sum) {
    simt::store_atomic<order::relaxed, scope::block>(&sum->pieces, 0u);
    simt::store_atomic<order::relaxed, scope::block>(&sum->edges, u64{0});
    simt::store_atomic<order::relaxed, scope::block>(&sum->overflow, 0u);
  }
  SIMT_DEVICE static void clear(step_words* words) {
    simt::store_atomic<order::relaxed, scope::device>(&words->progress, u64{0});
    simt::store_atomic<order::relaxed, scope::device>(&words->edges, u64{0});
    simt::store_atomic<order::relaxed, scope::device>(&words->claimed, 0u);
  }

  // --- one superstep ---

  SIMT_DEVICE void push() {
    const piece* const pieces = arguments_.pieces + begin_;
    const u32 count = pieces_;
    const bool reads = edges_ >= arguments_.read_edges;
    supersteps::divide_pieces(count, &output_.words()->claimed, [&](u32 first, bool valid) {
      piece lane_piece = 0;
      if (valid) lane_piece = simt::load(pieces + first + simt::lane());
      pusher_.expand(lane_piece, valid, level_ + 1, reads);
    });
  }

  /// Barrier after a step, for all threads of all blocks. @return the next step
  SIMT_DEVICE step_kind synchronise(step_kind done) {
    if (supersteps::is_leader()) {
      clear(output_.words_of(output_.step + 1));
      counts_.add(counter::supersteps, 1);
    }
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      clear(block_->sums + (output_.turn + 2) % 4);
      step_words* const words = output_.words();
      const u64 edges = simt::load_atomic<order::relaxed, scope::block>(&output_.sum()->edges);
      if (edges != 0) simt::reduce_add<order::relaxed, scope::device>(&words->edges, edges);
      const u64 seen = supersteps::synchronise<superstep_progress::arrival_shift>(&words->progress, control_, block_);
      if (is_level_watched()) supersteps::watch(control_, block_);
      simt::store(&block_->stop, (seen & superstep_progress::stop) != 0 ? 1u : 0u);
      simt::store(&block_->pieces, static_cast<u32>(superstep_progress::pieces_in(seen)));
      simt::store(&block_->edges, simt::load_atomic<order::relaxed, scope::device>(&words->edges));
    }
    simt::sync_block();
    ++output_.step;
    ++output_.turn;
    if (simt::load(&block_->stop) != 0) return step_kind::end;
    if (done == step_kind::gather) return step_kind::pull;
    rest_ -= edges_;
    begin_ = output_.begin;
    pieces_ = simt::load(&block_->pieces);
    edges_before_ = edges_;
    edges_ = simt::load(&block_->edges);
    output_.begin = begin_ + pieces_;
    ++level_;
    if (pieces_ == 0) {
      supersteps::finish(control_);
      return step_kind::end;
    }
    if (2 * pieces_ <= arguments_.one_block && 2 * edges_ <= arguments_.one_block_edges) return step_kind::narrow;
    return pushed_or_pulled(done == step_kind::pull || done == step_kind::pull_first);
  }

  /// @param has_sets whether the sets are those of this level
  SIMT_DEVICE step_kind pushed_or_pulled(bool has_sets) const {
    if (arguments_.in_edges == nullptr || edges_ < arguments_.pull_edges) return step_kind::push;
    if (edges_ * arguments_.pull_share <= rest_) return step_kind::push;
    if (has_sets) return step_kind::pull;
    // If levels grow slowly, as in meshes, most vertices that look have no neighbour in the level.
    if (2 * edges_ < 3 * edges_before_) return step_kind::push;
    return arguments_.gathers != 0 ? step_kind::gather : step_kind::pull_first;
  }

  /// A search with few levels never waits for the answer, which comes from the host's memory.
  SIMT_DEVICE bool is_level_watched() const { return level_ % 16 == 8; }

  // --- levels of block 0 alone ---

  SIMT_DEVICE piece* level_in_block(u32 index) const {
    return levels_ + index * pieces_in_block(simt::block_threads());
  }

  /// Called by all threads of block 0, with a level of pieces_ in global memory; at the start with the source.
  SIMT_DEVICE step_kind go_on_alone() {
    if (simt::thread_in_block() == 0) clear(output_.words_of(output_.step + 1));
    u32 current = 0;
    if (output_.step == 0) {
      // Level -1 finds the source.
      level_ = ~0u;
      simt::sync_block();
      if (simt::warp_in_block() == 0) find_source();
    } else {
      for (u32 i = simt::thread_in_block(); i < pieces_; i += simt::block_threads()) {
        simt::store(level_in_block(0) + i, simt::load(arguments_.pieces + begin_ + i));
      }
      simt::sync_block();
      expand_alone(0);
      current = 1;
    }
    for (;;) {
      const bool is_watched = is_level_watched();
      const u32 before = output_.publish_counts();
      if (simt::thread_in_block() == 0) {
        counts_.add(counter::supersteps, 1);
        clear(block_->sums + (output_.turn + 2) % 4);
        if (is_watched) {  // and is read only then: each level has one barrier
          supersteps::watch(control_, block_);
          simt::store(&block_->stop, simt::load(&block_->is_over));
        }
      }
      // Flushed pieces are not in shared memory; then the whole level goes to global memory and is staged from there.
      output_.drain(level_in_block(current) + before);
      simt::sync_block();
      const u32 count = simt::load_atomic<order::relaxed, scope::block>(&output_.sum()->pieces);
      const bool has_overflow = simt::load_atomic<order::relaxed, scope::block>(&output_.sum()->overflow) != 0;
      rest_ -= edges_;
      edges_before_ = edges_;
      edges_ = simt::load_atomic<order::relaxed, scope::block>(&output_.sum()->edges);
      pieces_ = count;
      ++level_;
      ++output_.turn;
      if (is_watched && simt::load(&block_->stop) != 0) return call_others(step_kind::end);
      if (has_overflow || count > arguments_.one_block || edges_ > arguments_.one_block_edges) {
        return call_others(hand_over(level_in_block(current), count));
      }
      if (count == 0) {
        supersteps::finish(control_);
        return call_others(step_kind::end);
      }
      expand_alone(current);
      current ^= 1;
    }
  }

  /// Warp collective: adds the pieces of the source.
  SIMT_DEVICE void find_source() {
    const offset* const row = static_cast<const offset*>(arguments_.offsets) + arguments_.source;
    const bool is_first = simt::lane() == 0;
    output_.add(simt::load_readonly(row), simt::load_readonly(row + 1), is_first);
  }

  SIMT_DEVICE void expand_alone(u32 index) {
    // One multiprocessor has about a hundredth of the atomic throughput of all.
    const bool reads = edges_ >= arguments_.read_edges / 128;
    const piece* const pieces = level_in_block(index);
    const u32 even_share = (pieces_ + warps() - 1) / warps();
    const u32 share = even_share < simt::warp_size ? even_share : simt::warp_size;
    for (u32 first = simt::warp_in_block() * share; first < pieces_; first += warps() * share) {
      const bool valid = simt::lane() < share && first + simt::lane() < pieces_;
      piece lane_piece = 0;
      if (valid) lane_piece = simt::load(pieces + first + simt::lane());
      pusher_.expand(lane_piece, valid, level_ + 1, reads);
    }
  }

  /// Called by all threads of block 0: moves `count` pieces from shared memory to where the other blocks find them.
  SIMT_DEVICE step_kind hand_over(const piece* pieces, u32 count) {
    if (simt::thread_in_block() == 0) simt::store(&block_->base, count != 0 ? output_.reserve(count) : 0);
    simt::sync_block();
    piece* const destination = arguments_.pieces + simt::load(&block_->base);
    for (u32 i = simt::thread_in_block(); i < count; i += simt::block_threads()) {
      simt::store(destination + i, simt::load(pieces + i));
    }
    begin_ = output_.begin;
    pieces_ = static_cast<u32>(
        superstep_progress::pieces_in(simt::load_atomic<order::relaxed, scope::device>(&output_.words()->progress)));
    output_.begin = begin_ + pieces_;
    return pushed_or_pulled(false);
  }

  /// Called by all threads of block 0: publishes the next step to the other blocks.
  SIMT_DEVICE step_kind call_others(step_kind next) {
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      shared_state* const state = &control_->state;
      simt::store(&state->next, static_cast<u32>(next));
      simt::store(&state->level, level_);
      simt::store(&state->pieces, pieces_);
      simt::store(&state->edges_before, edges_before_);
      simt::store(&state->edges, edges_);
      simt::store(&state->rest, rest_);
      simt::store_atomic<order::release, scope::device>(&control_->resumed, next_call());
    }
    ++output_.step;
    return next;
  }

  /// Called by thread 0 of a block: returns the number of block 0's next call.
  SIMT_DEVICE u32 next_call() const {
    const u32 call = simt::load(&block_->calls) + 1;
    simt::store(&block_->calls, call);
    return call;
  }

  /// Called by all threads of the other blocks.
  SIMT_DEVICE step_kind wait_for_call() {
    if (simt::thread_in_block() == 0) {
      const u32 call = next_call();
      // However the run ends, block 0 calls: it checks the deadline itself.
      while (simt::load_atomic<order::acquire, scope::device>(&control_->resumed) != call) simt::backoff(50);
    }
    simt::sync_block();
    const shared_state* const state = &control_->state;
    level_ = simt::load(&state->level);
    pieces_ = simt::load(&state->pieces);
    edges_before_ = simt::load(&state->edges_before);
    edges_ = simt::load(&state->edges);
    rest_ = simt::load(&state->rest);
    begin_ = output_.begin;
    output_.begin = begin_ + pieces_;
    ++output_.step;
    return static_cast<step_kind>(simt::load(&state->next));
  }

  const arguments& arguments_;
  control_words* control_;
  block_words* block_;
  piece* levels_;
  found_pieces& output_;
  row_pusher& pusher_;
  row_puller& puller_;
  counters& counts_;
  u32 level_ = 0;         // level of the frontier
  u32 pieces_ = 0;        // number of pieces of the frontier
  u64 begin_ = 0;         // position of the frontier's pieces in arguments::pieces
  u64 edges_ = 0;         // number of edges of the frontier
  u64 edges_before_ = 0;  // number of edges of the level before the frontier
  u64 rest_ = 0;          // number of edges of all rows that have not been expanded
};

/// The whole kernel.
SIMT_DEVICE void run_search(const arguments& search_arguments) {
  block_words* const block = reinterpret_cast<block_words*>(simt::shared_memory());
  const u32 warps = simt::block_threads() / simt::warp_size;
  const u32 warp = simt::warp_in_block();
  u64* const batches = reinterpret_cast<u64*>(block + 1);
  piece* const stages = batches + warps * simt::warp_size;
  piece* const levels = stages + warps * stage_pieces;
  u64* const batch = batches + warp * simt::warp_size;
  counters counts(search_arguments.counters);
  found_pieces output(search_arguments, block, stages + warp * stage_pieces, counts);
  row_pusher pusher(search_arguments, batch, output, counts);
  row_puller puller(search_arguments, reinterpret_cast<unsigned short*>(levels + warp * 2 * stage_pieces),
                    reinterpret_cast<u32*>(batch), output, counts);
  level_search search(search_arguments, block, levels, output, pusher, puller, counts);
  search.run();
  if (search_arguments.counters != nullptr) counts.flush(search_arguments.counters);
}

}  // namespace mlmq::push_pull
