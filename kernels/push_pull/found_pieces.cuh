// SPDX-License-Identifier: Apache-2.0
// The output of a superstep: pieces of rows. Each warp has a stage in shared memory, so that positions in global memory
// are reserved for many pieces at a time. A vertex is found once, so its pieces are written once: one array has room
// for all pieces of a search, and can never be full.
#pragma once

#include "push_pull/configuration.cuh"
#include "push_pull/push_pull_abi.cuh"

namespace mlmq::push_pull {

SIMT_DEVICE piece make_piece(u64 begin, u32 edges) { return begin | static_cast<u64>(edges) << piece_begin_bits; }
SIMT_DEVICE u64 begin_of(piece p) { return p & ((1ull << piece_begin_bits) - 1); }
SIMT_DEVICE u32 edges_of(piece p) { return static_cast<u32>(p >> piece_begin_bits); }

/// State of a warp, in registers and equal on all its lanes except `edges_`.
class found_pieces {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE found_pieces(const arguments& search_arguments, block_words* block, piece* stage, counters& counts)
      : arguments_(search_arguments), block_(block), stage_(stage), counts_(counts) {}

  u32 step = 0;   ///< number of the superstep
  u32 turn = 0;   ///< index in block_words::sums
  u64 begin = 0;  ///< position in arguments::pieces of the first piece that this superstep writes

  SIMT_DEVICE step_words* words_of(u32 number) const { return arguments_.control->steps + number % 4; }
  SIMT_DEVICE step_words* words() const { return words_of(step); }
  SIMT_DEVICE block_sum* sum() const { return block_->sums + turn % 4; }

  /// Warp collective: adds the rows of the lanes with `valid`, whose vertices this warp has found.
  SIMT_DEVICE void add(u64 row, u64 row_end, bool valid) {
    if (!simt::any(valid)) return;
    const u32 degree = valid ? static_cast<u32>(row_end - row) : 0;
    if (valid) counts_.add(counter::updates, 1);
    edges_ += degree;
    const bool is_long = degree > arguments_.long_row;
    stage(make_piece(row, degree), degree != 0 && !is_long);
    for (u32 pending_lanes = simt::ballot(is_long); pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
      const u32 owner = simt::first_set(pending_lanes);
      cut(simt::shuffle(row, owner), simt::shuffle(degree, owner));
    }
  }

  /// Warp collective: adds a row in pieces. @param row, degree equal on all lanes
  SIMT_DEVICE void cut(u64 row, u32 degree) {
    const u32 count = (degree - 1) / arguments_.piece_edges + 1;
    for (u32 first = 0; first < count; first += simt::warp_size) {
      const u32 index = first + simt::lane();
      const u32 before = index * arguments_.piece_edges;
      const u32 remaining = degree - before;
      stage(make_piece(row + before, remaining < arguments_.piece_edges ? remaining : arguments_.piece_edges),
            index < count);
    }
  }

  /// Warp collective: adds to the block's counts what this warp has staged and found. Until the next barrier of the
  /// block other warps do the same. @return how many pieces other warps have staged before these
  SIMT_DEVICE u32 publish_counts() {
    // Added in two halves, because a sum over 32 lanes may not fit into 32 bits.
    const u32 low = simt::warp_add(edges_ & 0xFFFFu);
    const u32 high = simt::warp_add(edges_ >> 16);
    edges_ = 0;
    u32 before = 0;
    if (simt::lane() == 0 && size_ != 0) before = simt::atomic_add<order::relaxed, scope::block>(&sum()->pieces, size_);
    if (simt::lane() == 0 && (low | high) != 0) {
      simt::atomic_add<order::relaxed, scope::block>(&sum()->edges, (static_cast<u64>(high) << 16) + low);
    }
    return simt::shuffle(before, 0);
  }

  /// Warp collective: writes the staged pieces to `destination`.
  SIMT_DEVICE void drain(piece* destination) {
    for (u32 i = simt::lane(); i < size_; i += simt::warp_size) simt::store(destination + i, simt::load(stage_ + i));
    size_ = 0;
    simt::sync_warp();  // other lanes may overwrite the stage after this
  }

  /// Called by one lane: reserves `count` pieces in global memory. @return the position of the first
  SIMT_DEVICE u64 reserve(u32 count) {
    counts_.add(counter::queue_atomics, 1);
    const u64 before = simt::atomic_add<order::relaxed, scope::device>(&words()->progress, static_cast<u64>(count));
    return begin + superstep_progress::pieces_in(before);
  }

 private:
  SIMT_DEVICE void stage(piece p, bool valid) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    if (valid) {
      simt::store(stage_ + size_ + simt::popcount(writers & simt::lanes_below()), p);
      counts_.add(counter::l2_writes, 1);
    }
    size_ += simt::popcount(writers);
    simt::sync_warp();
    if (size_ > stage_pieces - simt::warp_size) flush();
  }

  SIMT_DEVICE void flush() {
    u64 position = 0;
    if (simt::lane() == 0) {
      simt::store_atomic<order::relaxed, scope::block>(&sum()->overflow, 1u);
      position = reserve(size_);
    }
    drain(arguments_.pieces + simt::shuffle(position, 0));
  }

  const arguments& arguments_;
  block_words* block_;
  piece* stage_;
  counters& counts_;
  u32 size_ = 0;   // pieces on the stage
  u32 edges_ = 0;  // edges that this lane has found since it last added to the block's count
};

}  // namespace mlmq::push_pull
