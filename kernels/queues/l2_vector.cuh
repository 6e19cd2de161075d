// SPDX-License-Identifier: Apache-2.0
// L2 vector: one first-in first-out queue for the whole grid (MLMQ, section 4.2, L2V).
#pragma once

#include "queues/l2_rings.cuh"

namespace mlmq {

/// Scope: any warp of the grid, all lanes of which call a function together. Memory order: writing the slot publishes
/// the element; accesses to anything else that the element stands for are ordered only by the end of the run
/// (dispatcher.cuh). Capacity: that of one ring (queue_storage); a writer that finds it full waits, and after
/// full_wait_ns ends the run as queue_full.
/// @tparam Traits order::element; storage, a view like queue_storage
/// @tparam Fifos  l2_rings, or l2_blocks in the order of this queue
template <class Traits, class Counters,
          class Fifos = l2_rings<typename Traits::order::element, typename Traits::storage, Counters>>
class l2_vector : public Fifos {
 public:
  using element = typename Traits::order::element;

  static constexpr u32 subqueue_count = 1;
  static constexpr u32 open_subqueues = 1;
  static constexpr u32 subqueues_when_idle = open_subqueues;
  static constexpr u32 first_window = 0;

  SIMT_DEVICE l2_vector(const typename Traits::storage& storage, const block_words* block, Counters& counters)
      : Fifos(storage, block, counters) {}

  /// Warp collective: appends the element of every lane with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    if (simt::any(valid)) this->template push<true>(0, e, valid);
  }

  static constexpr bool is_always_open = true;
  SIMT_DEVICE bool is_open(element) const { return true; }
  SIMT_DEVICE void note_deferred(element, bool) const {}

  SIMT_DEVICE u32 open_subqueue(u32 /*window*/, u32 rank) const { return rank; }
  SIMT_DEVICE static u32 priority_of(u32 /*window*/, u32 subqueue) { return subqueue; }
  SIMT_DEVICE u32 subqueue_in_order(u32 /*window*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 advanced_window(u32 window, u32 /*rank*/) const { return window; }
};

}  // namespace mlmq
