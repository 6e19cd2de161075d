// SPDX-License-Identifier: Apache-2.0
// Shortest paths on graphs with hubs, bulk-synchronously in one persistent kernel.
//
// First the vertices nearer than a limit are settled: supersteps push the inner edges, those that lead to a distance
// below the limit, until the frontier is empty. Hubs are near, so these vertices soon have most of the edges, and most
// of these edges lead beyond the limit. Rows are ordered so that the edges shorter than a limit come first; the others
// are not even read. The other vertices then pull: each takes the shortest distance that its incoming edges offer.
// Last, supersteps without a limit correct their distances.
// (Limits that separate inner from outer edges, and pulling long edges: Chakaravarthy et al. 2014.)
//
// If the vertices below the limit have too few edges, the next limit follows. Their rows are pushed again, because
// their outer edges have not been relaxed. After the last limit, or without reversed edges, the outer edges are pushed.
//
// A superstep ends with a barrier of all blocks: each arrives once on one word, which also counts the pieces written,
// so that passing the barrier and learning the size of the next frontier are one load.
#pragma once

#include "near_pull/pull.cuh"
#include "near_pull/push.cuh"

namespace mlmq::near_pull {

class path_search {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE path_search(const arguments& search_arguments, block_words* block, frontier_writer& output,
                          row_pusher& pusher, row_puller& puller, counters& counts)
      : arguments_(search_arguments),
        control_(search_arguments.control),
        block_(block),
        output_(output),
        pusher_(pusher),
        puller_(puller),
        counts_(counts) {}

  /// Runs the search; called by all threads of all blocks.
  SIMT_DEVICE void run() {
    begin();
    supersteps::write_out(output_, block_, output_.frontier_of(output_.step));
    step_kind next = synchronise();
    while (next != step_kind::end) {
      const push_range range = {floor_, limit()};
      switch (next) {
        case step_kind::push:
          push(range);
          break;
        case step_kind::gather:
          puller_.gather(supersteps::global_warp(), supersteps::global_warps());
          break;
        case step_kind::pull:
          puller_.pull(supersteps::global_warp(), supersteps::global_warps());
          break;
        case step_kind::end:
          break;
      }
      supersteps::write_out(output_, block_, output_.frontier_of(output_.step));
      next = synchronise();
    }
  }

 private:
  /// Superstep 0: resets memory; the frontier is the source.
  SIMT_DEVICE void begin() {
    word* const distances = reinterpret_cast<word*>(arguments_.distances);
    const u64 threads = u64{simt::grid_blocks()} * simt::block_threads();
    const u64 thread = u64{simt::block_index()} * simt::block_threads() + simt::thread_in_block();
    for (u64 v = thread; v <= arguments_.vertex_count; v += threads) {
      simt::store(distances + v, v == arguments_.source ? word{0} : width::none);
      if (v < arguments_.vertex_count) simt::store(arguments_.stamps + v, 0u);
    }
    if (simt::block_index() == 0) {
      u32* const next = reinterpret_cast<u32*>(arguments_.next_control);
      for (u32 i = simt::thread_in_block(); i < sizeof(control_words) / sizeof(u32); i += simt::block_threads()) {
        simt::store(next + i, 0u);
      }
    }
    if (simt::thread_in_block() == 0) {
      simt::store(&block_->is_over, 0u);
      simt::store(&block_->deadline, simt::clock_ns() + arguments_.time_limit_ns);
      for (u32 i = 0; i < 4; ++i) clear(block_->sums + i);
    }
    simt::sync_block();
    if (simt::block_index() == 0 && simt::warp_in_block() == 0) {
      const u32 vertex[1] = {arguments_.source};
      const row_part part[1] = {output_.part_of(arguments_.source)};
      const bool valid[1] = {simt::lane() == 0};
      output_.add(vertex, part, valid);
    }
  }

  SIMT_DEVICE static void clear(block_sum* sum) {
    simt::store_atomic<order::relaxed, scope::block>(&sum->pieces, 0u);
    simt::store_atomic<order::relaxed, scope::block>(&sum->edges, u64{0});
    simt::store_atomic<order::relaxed, scope::block>(&sum->outer, 0u);
  }
  SIMT_DEVICE static void clear(step_words* words) {
    simt::store_atomic<order::relaxed, scope::device>(&words->progress, u64{0});
    simt::store_atomic<order::relaxed, scope::device>(&words->edges, u64{0});
    simt::store_atomic<order::relaxed, scope::device>(&words->claimed, 0u);
    simt::store_atomic<order::relaxed, scope::device>(&words->outer, 0u);
  }

  SIMT_DEVICE word limit() const {
    // Compared with each index: an index that is not a constant would copy the arguments to memory.
    word value = width::none;
#pragma unroll
    for (u32 i = 0; i < limit_count; ++i) {
      if (output_.limit == i) value = static_cast<word>(arguments_.limits[i]);
    }
    return value;
  }

  SIMT_DEVICE void push(const push_range& range) {
    const piece* const pieces = output_.frontier_of(output_.step - 1);
    supersteps::divide_pieces(pieces_, &output_.words()->claimed, [&](u64 first, bool valid) {
      pusher_.push(pieces + first + simt::lane(), valid, range);
    });
  }

  /// Barrier after a step, for all threads of all blocks. @return the next step
  SIMT_DEVICE step_kind synchronise() {
    if (supersteps::is_leader()) {
      clear(output_.words_of(output_.step + 1));
      counts_.add(counter::supersteps, 1);
    }
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      clear(block_->sums + (output_.step + 2) % 4);
      step_words* const words = output_.words();
      const u64 edges = simt::load_atomic<order::relaxed, scope::block>(&output_.sum()->edges);
      if (edges != 0) simt::reduce_add<order::relaxed, scope::device>(&words->edges, edges);
      if (simt::load_atomic<order::relaxed, scope::block>(&output_.sum()->outer) != 0) {
        simt::store_atomic<order::relaxed, scope::device>(&words->outer, 1u);
      }
      const u64 seen = supersteps::synchronise<superstep_progress::arrival_shift>(&words->progress, control_, block_);
      if (is_step_watched()) supersteps::watch(control_, block_);
      simt::store(&block_->stop, (seen & superstep_progress::stop) != 0 ? 1u : 0u);
      simt::store(&block_->pieces, superstep_progress::pieces_in(seen));
      simt::store(&block_->edges, simt::load_atomic<order::relaxed, scope::device>(&words->edges));
      simt::store(&block_->outer, simt::load_atomic<order::relaxed, scope::device>(&words->outer));
    }
    simt::sync_block();
    ++output_.step;
    pieces_ = simt::load(&block_->pieces);
    settled_ += simt::load(&block_->edges);
    has_outer_ = has_outer_ || simt::load(&block_->outer) != 0;
    if (simt::load(&block_->stop) != 0) return step_kind::end;
    return pieces_ != 0 ? step_kind::push : next_limit();
  }

  /// Called by all threads when no vertex nearer than the limit is left to relax. @return the next step
  SIMT_DEVICE step_kind next_limit() {
    if (output_.limit == limit_count || !has_outer_) {
      supersteps::finish(control_);
      return step_kind::end;
    }
    const u64 rest = settled_ < arguments_.edge_count ? arguments_.edge_count - settled_ : 0;
    const bool can_pull = arguments_.in_edges != nullptr;
    const bool is_pulled = can_pull && settled_ * arguments_.pull_share > rest;
    has_outer_ = false;
    settled_ = 0;
    floor_ = limit();
    output_.limit = is_pulled || !can_pull || output_.limit + 1 == limit_count ? limit_count : output_.limit + 1;
    // Rows are gathered for the next limit, too: edges between the limits have not been relaxed.
    return is_pulled ? step_kind::pull : step_kind::gather;
  }

  /// A search with few steps never waits for the answer, which comes from the host's memory.
  SIMT_DEVICE bool is_step_watched() const { return output_.step % 16 == 15; }

  const arguments& arguments_;
  control_words* control_;
  block_words* block_;
  frontier_writer& output_;
  row_pusher& pusher_;
  row_puller& puller_;
  counters& counts_;
  u64 pieces_ = 0;          // number of pieces of the frontier
  u64 settled_ = 0;         // number of edges of the vertices nearer than the limit; a vertex may count more than once
  word floor_ = 0;          // no distance below can be lowered any more
  bool has_outer_ = false;  // whether an edge has not been relaxed because it leads beyond the limit
};

/// The whole kernel.
SIMT_DEVICE void run_search(const arguments& search_arguments) {
  block_words* const block = reinterpret_cast<block_words*>(simt::shared_memory());
  const u32 warps = simt::block_threads() / simt::warp_size;
  const u32 warp = simt::warp_in_block();
  piece* const stages = reinterpret_cast<piece*>(block + 1);
  width::rows* const rows = reinterpret_cast<width::rows*>(stages + warps * stage_pieces);
  counters counts(search_arguments.counters);
  frontier_writer output(search_arguments, block, stages + warp * stage_pieces, counts);
  row_pusher pusher(search_arguments, rows + warp * simt::warp_size, output, counts);
  row_puller puller(search_arguments, reinterpret_cast<u32*>(rows + warp * simt::warp_size), output, counts);
  path_search search(search_arguments, block, output, pusher, puller, counts);
  search.run();
  if (search_arguments.counters != nullptr) counts.flush(search_arguments.counters);
}

}  // namespace mlmq::near_pull
