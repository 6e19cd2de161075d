// SPDX-License-Identifier: Apache-2.0
// L2 priority queue: one heap for the whole grid (MLMQ, section 4.2, L2PQ). It has the strictest order, but every
// operation passes through the root.
#pragma once

#include "queues/l2_heaps.cuh"

namespace mlmq {

/// Scope: any warp of the grid, all lanes of which call a function together. Memory order: nodes are locked with
/// acquire and unlocked with release order. Capacity: that of a heap (queue_storage, a multiple of 32, with headers of
/// its nodes); an insertion that finds no room on 64 random paths ends the run as queue_full.
/// @tparam Traits an order by words (order.cuh); storage, a view like queue_storage
template <class Traits, class Counters>
class l2_heap : public l2_heaps<typename Traits::order::element, typename Traits::storage, Counters> {
 public:
  using element = typename Traits::order::element;

 private:
  static_assert(Traits::order::least_word_first, "a heap orders elements as words");

 public:
  static constexpr u32 subqueue_count = 1;
  static constexpr u32 open_subqueues = 1;
  static constexpr u32 subqueues_when_idle = open_subqueues;
  static constexpr u32 first_window = 0;

  using l2_heaps<typename Traits::order::element, typename Traits::storage, Counters>::l2_heaps;

  /// Warp collective: inserts the element of every lane with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    if (simt::any(valid)) this->insert(0, subqueue_count, e, valid);
  }

  static constexpr bool is_always_open = true;
  SIMT_DEVICE bool is_open(element) const { return true; }
  SIMT_DEVICE void note_deferred(element, bool) const {}

  SIMT_DEVICE l2_batch<element> claim(u32, u32, simt::quad, u32) { return this->remove(0, subqueue_count); }

  /// Warp collective of a worker that reads L2 itself: takes the root's batch. @return the number of elements
  SIMT_DEVICE u32 take_reserved(u32 /*window*/, u32& /*reserved*/, element& e) {
    const l2_batch<element> batch = this->remove(0, subqueue_count);
    e = batch.own_element;
    return batch.count;
  }

  SIMT_DEVICE u32 open_subqueue(u32 /*window*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 subqueue_in_order(u32 /*window*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 advanced_window(u32 window, u32 /*rank*/) const { return window; }
};

}  // namespace mlmq
