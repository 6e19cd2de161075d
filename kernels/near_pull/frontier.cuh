// SPDX-License-Identifier: Apache-2.0
// The output of a superstep: the pieces of the next frontier. Each warp has a stage in shared memory, so that positions
// in global memory are reserved for many pieces at a time. A vertex joins a frontier once, so a frontier has room for
// all pieces and can never be full.
#pragma once

#include "near_pull/configuration.cuh"
#include "near_pull/near_pull_abi.cuh"

namespace mlmq::near_pull {

/// The part of a row that is relaxed in a superstep.
struct row_part {
  u64 begin;
  u32 edges;   ///< number of its edges
  u32 degree;  ///< number of edges of the whole row
};

/// State of a warp, in registers and equal on all its lanes except `edges_` and `outer_`.
class frontier_writer {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE frontier_writer(const arguments& search_arguments, block_words* block, piece* stage, counters& counts)
      : arguments_(search_arguments), block_(block), stage_(stage), counts_(counts) {}

  u32 step = 0;   ///< number of the superstep
  u32 limit = 0;  ///< index in arguments::limits of the limit of the next superstep; limit_count: no limit

  SIMT_DEVICE step_words* words_of(u32 number) const { return arguments_.control->steps + number % 4; }
  SIMT_DEVICE step_words* words() const { return words_of(step); }
  SIMT_DEVICE block_sum* sum() const { return block_->sums + step % 4; }
  /// The frontier that a superstep writes. The next superstep reads it.
  SIMT_DEVICE piece* frontier_of(u32 number) const {
    return arguments_.pieces + (number % 2) * arguments_.frontier_capacity;
  }

  /// Notes that this lane leaves out an edge because it leads beyond the limit.
  SIMT_DEVICE void note_outer(bool is_outer) { outer_ = outer_ || is_outer; }

  /// Returns the part of a vertex's row whose edges are shorter than the limit.
  SIMT_DEVICE row_part part_of(u32 vertex) {
    const offset* const row = static_cast<const offset*>(arguments_.offsets) + vertex;
    const offset begin = simt::load_readonly(row);
    const u32 degree = static_cast<u32>(simt::load_readonly(row + 1) - begin);
    if (limit == limit_count) return {begin, degree, degree};
    return {begin, simt::load_readonly(arguments_.near_counts + u64{vertex} * limit_count + limit), degree};
  }

  /// Warp collective: adds up to N vertices of each lane, those with `valid`. @param part part_of() the vertices
  template <u32 N>
  SIMT_DEVICE void add(const u32 (&vertex)[N], const row_part (&part)[N], const bool (&valid)[N]) {
    u32 lane_pieces = 0;  // of long rows
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      if (!simt::any(valid[i])) continue;
      const u32 edges = valid[i] ? part[i].edges : 0;
      if (valid[i]) {
        edges_ += part[i].degree;
        note_outer(edges != part[i].degree);
      }
      const bool is_long = edges > arguments_.long_row;
      if (is_long) lane_pieces += pieces_of(edges);
      stage(part[i].begin, edges, vertex[i], edges != 0 && !is_long);
    }
    if (!simt::any(lane_pieces != 0)) return;
    const u32 scanned = simt::inclusive_scan(lane_pieces);
    u64 position = 0;
    if (simt::lane() == simt::warp_size - 1) position = reserve(scanned);
    u64 place = simt::shuffle(position, simt::warp_size - 1) + scanned - lane_pieces;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      const bool is_long = valid[i] && part[i].edges > arguments_.long_row;
      for (u32 pending_lanes = simt::ballot(is_long); pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
        const u32 owner = simt::first_set(pending_lanes);
        cut(frontier_of(step) + simt::shuffle(place, owner), simt::shuffle(part[i].begin, owner),
            simt::shuffle(part[i].edges, owner), simt::shuffle(vertex[i], owner));
      }
      if (is_long) place += pieces_of(part[i].edges);
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
    if (simt::lane() == 0) {
      if (size_ != 0) before = simt::atomic_add<order::relaxed, scope::block>(&sum()->pieces, size_);
      if ((low | high) != 0) {
        simt::atomic_add<order::relaxed, scope::block>(&sum()->edges, (static_cast<u64>(high) << 16) + low);
      }
      if (has_outer) simt::store_atomic<order::relaxed, scope::block>(&sum()->outer, 1u);
    }
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
    counts_.add(counter::l2_writes, count);
    counts_.add(counter::queue_atomics, 1);
    const u64 before = simt::atomic_add<order::relaxed, scope::device>(&words()->progress, static_cast<u64>(count));
    return superstep_progress::pieces_in(before);
  }

 private:
  SIMT_DEVICE u32 pieces_of(u32 edges) const { return (edges - 1) / arguments_.piece_edges + 1; }

  SIMT_DEVICE static void write(piece* place, u64 begin, u32 edges, u32 vertex) {
    simt::store(&place->row, begin | static_cast<u64>(edges) << piece_begin_bits);
    simt::store(&place->vertex, static_cast<u64>(vertex));
  }

  /// Warp collective: writes a row in pieces. The arguments are equal on all lanes.
  SIMT_DEVICE void cut(piece* destination, u64 begin, u32 degree, u32 vertex) const {
    const u32 count = pieces_of(degree);
    for (u32 index = simt::lane(); index < count; index += simt::warp_size) {
      const u32 before = index * arguments_.piece_edges;
      const u32 remaining = degree - before;
      write(destination + index, begin + before,
            remaining < arguments_.piece_edges ? remaining : arguments_.piece_edges, vertex);
    }
  }

  SIMT_DEVICE void stage(u64 begin, u32 edges, u32 vertex, bool valid) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    if (valid) write(stage_ + size_ + simt::popcount(writers & simt::lanes_below()), begin, edges, vertex);
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
  u32 edges_ = 0;  // edges of the vertices that this lane has added since publish_counts()
  bool outer_ = false;
};

}  // namespace mlmq::near_pull
