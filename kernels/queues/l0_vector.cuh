// SPDX-License-Identifier: Apache-2.0
// L0 vector: a first-in first-out queue of one thread in registers (MLMQ, section 3.4, L0V).
//
// The lanes of a warp fill at different rates. A write that finds the queue of any lane full moves all of them to the
// lower level, or, as in the paper, those that are full; a read takes up to 32 elements, the oldest first, and scatters
// them evenly over the lanes.
#pragma once

#include "queues/counters.cuh"
#include "queues/element.cuh"

namespace mlmq {

/// Scope: every function is called by all lanes of a warp; each lane has a queue of its own.
/// Memory order: only the lanes' own sync_warp is needed. Capacity: l0_depth elements per lane; a write without room
/// moves elements to the lower level.
/// @tparam Traits order::element, l0_depth; l0_spills_all, whether a full queue of any lane moves those of all lanes
template <class Traits, class Counters>
class l0_vector {
 public:
  using element = typename Traits::order::element;

 private:
  static constexpr u32 depth = Traits::l0_depth;
  static_assert(depth >= 1, "l0_depth is at least 1");

 public:
  static constexpr bool is_absent = false;
  /// @param exchange 32 words of shared memory of this warp, used within a call only
  SIMT_DEVICE l0_vector(element* exchange, Counters& counters) : exchange_(exchange), counters_(counters) {}

  /// Warp collective: reads up to 32 elements. @return false when there is none
  SIMT_DEVICE bool read(element& e, bool& valid) {
    const u32 total = simt::warp_add(size_);
    if (total == 0) return false;
    u32 taken = 0;
    bool removed = true;
    // One round per place in the lanes' queues; the whole warp has the same `taken`.
    for (u32 round = 0; round < depth && removed; ++round) {
      const u32 owners = simt::ballot(size_ != 0);
      const u32 count = simt::popcount(owners);
      removed = count != 0 && taken + count <= simt::warp_size;
      if (!removed) break;
      if (size_ != 0) {
        simt::store(exchange_ + taken + simt::popcount(owners & simt::lanes_below()), pop());
        counters_.add(queue_counter::l0_reads, 1);
      }
      taken += count;
    }
    simt::sync_warp();
    valid = simt::lane() < taken;
    if (valid) e = simt::load(exchange_ + simt::lane());
    simt::sync_warp();
    return true;
  }

  /// Warp collective: every lane with `valid` keeps its element, after room was made.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const bool is_full = valid && size_ == depth;
    if (simt::any(is_full)) move(Traits::l0_spills_all || is_full, lower);
    if (valid) {
#pragma unroll
      for (u32 i = 0; i < depth; ++i) {
        if (i == size_) elements_[i] = e;
      }
      ++size_;
      counters_.add(queue_counter::l0_writes, 1);
    }
  }

 private:
  SIMT_DEVICE element pop() {
    const element oldest = elements_[0];
#pragma unroll
    for (u32 i = 0; i + 1 < depth; ++i) elements_[i] = elements_[i + 1];
    --size_;
    return oldest;
  }

  /// Warp collective: moves the queues of the lanes with `moves` to the lower level.
  template <class Lower>
  SIMT_DEVICE void move(bool moves, Lower& lower) {
    while (simt::any(moves && size_ != 0)) {
      const bool valid = moves && size_ != 0;
      element e = 0;
      if (valid) e = pop();
      lower.write(e, valid);
    }
  }

  element* exchange_;
  Counters& counters_;
  element elements_[depth] = {};
  u32 size_ = 0;
};

}  // namespace mlmq
