// SPDX-License-Identifier: Apache-2.0
// The output of a superstep: pieces of rows of vertices whose distances were lowered. A warp appends them to the next
// frontier in global memory, or keeps those of short rows in shared memory to relax them itself.
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

  u32 step = 0;        ///< number of the superstep
  bool keeps = false;  ///< whether pieces of short rows are kept while there is room

  SIMT_DEVICE step_words* words_of(u32 number) const { return arguments_.control->steps + number % 4; }
  SIMT_DEVICE step_words* words() const { return words_of(step); }
  SIMT_DEVICE block_sum* sum() const { return block_->sums + step % 4; }
  /// The frontier that a superstep writes. The next superstep reads it.
  SIMT_DEVICE piece* frontier_of(u32 number) const {
    return arguments_.pieces + (number % 2) * arguments_.frontier_capacity;
  }
  /// Returns the number of pieces that this warp has kept.
  SIMT_DEVICE u32 kept_count() const { return size_; }

  /// Notes that this lane did not relax an edge because it leads beyond the limit.
  SIMT_DEVICE void note_outer(bool is_outer) { outer_ = outer_ || is_outer; }

  /// Warp collective: adds the rows of up to N vertices of each lane, those with `valid`.
  /// @param lowered the distances to which this lane has lowered those of the vertices
  template <u32 N>
  SIMT_DEVICE void add(const u32 (&vertex)[N], const word (&lowered)[N], const offset (&row)[N],
                       const offset (&row_end)[N], const bool (&valid)[N]) {
    u32 degree[N];
    u32 writers[N];
    u32 total = 0;
    bool has_long = false;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      degree[i] = valid[i] ? static_cast<u32>(row_end[i] - row[i]) : 0;
      edges_ += degree[i];
      const bool is_long = degree[i] > arguments_.long_row;
      has_long = has_long || is_long;
      writers[i] = simt::ballot(degree[i] != 0 && !is_long);
      total += simt::popcount(writers[i]);
    }
    if (total != 0) {
      piece* place = reserve(total);
#pragma unroll
      for (u32 i = 0; i < N; ++i) {
        if (place != nullptr && (writers[i] >> simt::lane() & 1) != 0) {
          write(place + simt::popcount(writers[i] & simt::lanes_below()), row[i], degree[i],
                vertex_word(vertex[i], lowered[i]));
        }
        if (place != nullptr) place += simt::popcount(writers[i]);
      }
      simt::sync_warp();  // orders kept pieces before their readers
    }
    if (!simt::any(has_long)) return;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      const bool is_long = degree[i] > arguments_.long_row;
      for (u32 pending_lanes = simt::ballot(is_long); pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
        const u32 owner = simt::first_set(pending_lanes);
        cut(simt::shuffle(u64{row[i]}, owner), simt::shuffle(degree[i], owner),
            simt::shuffle(vertex_word(vertex[i], lowered[i]), owner));
      }
    }
  }

  /// Warp collective: takes up to 32 of the pieces that the warp has kept.
  /// @return whether `taken` is one, on this lane
  SIMT_DEVICE bool take(piece& taken) {
    const u32 count = size_ < simt::warp_size ? size_ : simt::warp_size;
    size_ -= count;
    const bool valid = simt::lane() < count;
    if (valid) {
      taken.row = simt::load(&stage_[size_ + simt::lane()].row);
      taken.vertex = simt::load(&stage_[size_ + simt::lane()].vertex);
    }
    simt::sync_warp();  // other lanes may overwrite the stage after this
    return valid;
  }

  /// Warp collective: ends a superstep. Appends the kept pieces to the next frontier, and adds to the block's counts
  /// what this warp has found.
  SIMT_DEVICE void finish_step() {
    keeps = false;
    if (size_ != 0) {
      if (simt::lane() == 0) counts_.add(counter::l1_spills, size_);
      piece* const destination = reserve(size_);
      for (u32 i = simt::lane(); destination != nullptr && i < size_; i += simt::warp_size) {
        simt::store(&destination[i].row, simt::load(&stage_[i].row));
        simt::store(&destination[i].vertex, simt::load(&stage_[i].vertex));
      }
      size_ = 0;
      simt::sync_warp();
    }
    // Added in two halves, because a sum over 32 lanes may not fit into 32 bits.
    const u32 low = simt::warp_add(edges_ & 0xFFFFu);
    const u32 high = simt::warp_add(edges_ >> 16);
    const bool has_outer = simt::any(outer_);
    edges_ = 0;
    outer_ = false;
    if (simt::lane() != 0) return;
    if ((low | high) != 0) {
      simt::atomic_add<order::relaxed, scope::block>(&sum()->edges, (static_cast<u64>(high) << 16) + low);
    }
    if (has_outer) simt::store_atomic<order::relaxed, scope::block>(&sum()->outer, u64{1});
  }

 private:
  SIMT_DEVICE static u64 vertex_word(u32 vertex, word lowered) {
    return static_cast<u64>(width::key_of(lowered)) << 32 | vertex;
  }

  SIMT_DEVICE void write(piece* place, u64 begin, u32 edges, u64 vertex) {
    simt::store(&place->row, begin | static_cast<u64>(edges) << piece_begin_bits);
    simt::store(&place->vertex, vertex);
  }

  /// Warp collective: returns the first of `count` places for pieces, kept or in the next frontier; null if that is
  /// full. Then the run has been ended.
  SIMT_DEVICE piece* reserve(u32 count) {
    if (keeps && size_ + count <= stage_pieces) {
      size_ += count;
      if (simt::lane() == 0) counts_.add(counter::l1_writes, count);
      return stage_ + size_ - count;
    }
    u64 position = 0;
    if (simt::lane() == 0) {
      counts_.add(counter::l2_writes, count);
      counts_.add(counter::queue_atomics, 1);
      const u64 before = simt::atomic_add<order::relaxed, scope::device>(&words()->progress, static_cast<u64>(count));
      position = before & ((1ull << progress::arrival_shift) - 1);
    }
    position = simt::shuffle(position, 0);
    if (position + count <= arguments_.frontier_capacity) return frontier_of(step) + position;
    if (simt::lane() == 0) {
      simt::atomic_compare_exchange<order::relaxed, scope::device>(
          &arguments_.control->status, static_cast<u32>(run_status::running), static_cast<u32>(run_status::queue_full));
    }
    return nullptr;
  }

  /// Warp collective: appends a long row in pieces, which other warps relax too. The arguments are equal on all lanes.
  SIMT_DEVICE void cut(u64 row, u32 degree, u64 vertex) {
    const u32 count = (degree - 1) / arguments_.piece_edges + 1;
    const bool kept_others = keeps;
    keeps = false;
    piece* const destination = reserve(count);
    keeps = kept_others;
    for (u32 index = simt::lane(); destination != nullptr && index < count; index += simt::warp_size) {
      const u32 before = index * arguments_.piece_edges;
      const u32 remaining = degree - before;
      write(destination + index, row + before, remaining < arguments_.piece_edges ? remaining : arguments_.piece_edges,
            vertex);
    }
  }

  const arguments& arguments_;
  block_words* block_;
  piece* stage_;
  counters& counts_;
  u32 size_ = 0;   // pieces on the stage
  u32 edges_ = 0;  // edges that this lane has added in this superstep
  bool outer_ = false;
};

}  // namespace mlmq::near_pull
