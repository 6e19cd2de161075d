// SPDX-License-Identifier: Apache-2.0
// The output of a superstep: the pieces of the next frontier. Each warp has a stage in shared memory, so that positions
// in global memory are reserved for many pieces at a time. A vertex joins a frontier once, so a frontier has room for
// all pieces and can never be full.
#pragma once

#include "near_pull/configuration.cuh"
#include "near_pull/near_pull_abi.cuh"

namespace mlmq::near_pull {

/// State of a warp, in registers and equal on all its lanes except `edges_` and `outer_`.
class frontier_writer {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE frontier_writer(const arguments& search_arguments, block_words* block, piece* stage, counters& counts)
      : arguments_(search_arguments), block_(block), stage_(stage), counts_(counts) {}

  u32 step = 0;  ///< number of the superstep
  u32 turn = 0;  ///< number of supersteps that this block has taken part in
  u32 barrier = 0;        ///< number of barriers of all blocks so far
  bool is_alone = false;  ///< whether this is block 0, which relaxes the frontier alone

  SIMT_DEVICE step_words* words_of(u32 number) const { return arguments_.control->barriers + number % 4; }
  SIMT_DEVICE step_words* words() const { return words_of(barrier); }
  SIMT_DEVICE block_sum* sum() const { return block_->sums + turn % 4; }
  /// The frontier that a superstep writes. The next superstep reads it.
  SIMT_DEVICE piece* frontier_of(u32 number) const {
    return arguments_.pieces + (number % 2) * arguments_.frontier_capacity;
  }

  /// Notes that this lane did not relax an edge because it leads beyond the limit.
  SIMT_DEVICE void note_outer(bool is_outer) { outer_ = outer_ || is_outer; }

  /// Warp collective: adds the rows of the vertices of the lanes with `valid`.
  SIMT_DEVICE void add(u32 vertex, u64 row, u64 row_end, bool valid) {
    if (!simt::any(valid)) return;
    const u32 degree = valid ? static_cast<u32>(row_end - row) : 0;
    edges_ += degree;
    const bool is_long = degree > arguments_.long_row;
    stage(row, degree, vertex, degree != 0 && !is_long);
    for (u32 pending_lanes = simt::ballot(is_long); pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
      const u32 owner = simt::first_set(pending_lanes);
      cut(simt::shuffle(row, owner), simt::shuffle(degree, owner), simt::shuffle(vertex, owner));
    }
  }

  /// Warp collective: adds to the block's counts what this warp has staged and found. Until the next barrier of the
  /// block other warps do the same. @return how many pieces other warps have staged before these
  SIMT_DEVICE u32 publish_counts() {
    // Added in two halves, because a sum over 32 lanes may not fit into 32 bits.
    const u32 low = simt::warp_add(edges_ & 0xFFFFu);
    const u32 high = simt::warp_add(edges_ >> 16);
    const bool has_outer = simt::any(outer_);
    edges_ = 0;
    outer_ = false;
    u32 before = 0;
    if (simt::lane() == 0 && size_ != 0) before = simt::atomic_add<order::relaxed, scope::block>(&sum()->pieces, size_);
    if (simt::lane() == 0 && (low | high) != 0) {
      simt::atomic_add<order::relaxed, scope::block>(&sum()->edges, (static_cast<u64>(high) << 16) + low);
    }
    if (simt::lane() == 0 && has_outer) simt::store_atomic<order::relaxed, scope::block>(&sum()->outer, 1u);
    return simt::shuffle(before, 0);
  }

  /// Warp collective: writes the staged pieces to `destination`.
  SIMT_DEVICE void drain(piece* destination) {
    for (u32 i = simt::lane(); i < size_; i += simt::warp_size) {
      simt::store(&destination[i].row, simt::load(&stage_[i].row));
      simt::store(&destination[i].vertex, simt::load(&stage_[i].vertex));
    }
    size_ = 0;
    simt::sync_warp();  // other lanes may overwrite the stage after this
  }

  /// Called by one lane: reserves `count` places of the next frontier. @return the first
  SIMT_DEVICE u64 reserve(u32 count) {
    if (is_alone) return simt::atomic_add<order::relaxed, scope::block>(&block_->written, count);
    counts_.add(counter::queue_atomics, 1);
    const u64 before = simt::atomic_add<order::relaxed, scope::device>(&words()->progress, static_cast<u64>(count));
    return before & ((1ull << progress::arrival_shift) - 1);
  }

 private:
  /// Warp collective: adds a row in pieces. The arguments are equal on all lanes.
  SIMT_DEVICE void cut(u64 row, u32 degree, u32 vertex) {
    const u32 count = (degree - 1) / arguments_.piece_edges + 1;
    for (u32 first = 0; first < count; first += simt::warp_size) {
      const u32 index = first + simt::lane();
      const u32 before = index * arguments_.piece_edges;
      const u32 remaining = degree - before;
      stage(row + before, remaining < arguments_.piece_edges ? remaining : arguments_.piece_edges, vertex,
            index < count);
    }
  }

  SIMT_DEVICE void stage(u64 begin, u32 edges, u32 vertex, bool valid) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    if (valid) {
      piece* const place = stage_ + size_ + simt::popcount(writers & simt::lanes_below());
      simt::store(&place->row, begin | static_cast<u64>(edges) << piece_begin_bits);
      simt::store(&place->vertex, static_cast<u64>(vertex));
      counts_.add(counter::l2_writes, 1);
    }
    size_ += simt::popcount(writers);
    simt::sync_warp();
    if (size_ > stage_pieces - simt::warp_size) flush();
  }

  SIMT_DEVICE void flush() {
    u64 position = 0;
    if (simt::lane() == 0) position = reserve(size_);
    drain(frontier_of(step) + simt::shuffle(position, 0));
  }

  const arguments& arguments_;
  block_words* block_;
  piece* stage_;
  counters& counts_;
  u32 size_ = 0;   // pieces on the stage
  u32 edges_ = 0;  // edges that this lane has added since publish_counts()
  bool outer_ = false;
};

}  // namespace mlmq::near_pull
