// SPDX-License-Identifier: Apache-2.0
// L2 multi-queue: pnum heaps (MLMQ, section 4.2, L2MPQ). A block reads from its own heap, and from the others when that
// is empty; each warp writes to all of them in turn.
#pragma once

#include "queues/l2_heaps.cuh"

namespace mlmq {

/// Scope: any warp of the grid, all lanes of which call a function together. Memory order: nodes are locked with
/// acquire and unlocked with release order. Capacity: that of a heap (queue_storage, a multiple of 32, with headers of
/// its nodes); an insertion that finds no room on 64 random paths ends the run as queue_full.
/// @tparam Traits an order by words (order.cuh); storage, a view like queue_storage; pnum, the heaps, up to 32
template <class Traits, class Counters>
class l2_multi_heap : public l2_heaps<typename Traits::order::element, typename Traits::storage, Counters> {
 public:
  using element = typename Traits::order::element;

 private:
  static_assert(Traits::order::least_word_first, "a heap orders elements as words");

 public:
  static constexpr u32 subqueue_count = Traits::pnum;
  static constexpr u32 open_subqueues = subqueue_count;
  static constexpr u32 subqueues_when_idle = open_subqueues;
  static constexpr u32 first_window = 0;
  static constexpr bool keeps_state = true;  // heap of the next write
  static_assert(subqueue_count <= max_subqueues);

  SIMT_DEVICE l2_multi_heap(const typename Traits::storage& storage, const block_words* block, Counters& counters)
      : l2_heaps<typename Traits::order::element, typename Traits::storage, Counters>(storage, block, counters),
        next_((simt::block_index() + simt::warp_in_block()) % subqueue_count) {}

  /// Warp collective: inserts the element of every lane with `valid` into the next heap.
  SIMT_DEVICE void write(element e, bool valid) {
    if (!simt::any(valid)) return;
    this->insert(next_, subqueue_count, e, valid);
    next_ = (next_ + 1) % subqueue_count;
  }

  static constexpr bool is_always_open = true;
  SIMT_DEVICE bool is_open(element) const { return true; }
  SIMT_DEVICE void note_deferred(element, bool) const {}

  SIMT_DEVICE l2_batch<element> claim(u32 subqueue, u32, simt::quad, u32 source_lane) {
    return this->remove(simt::shuffle(subqueue, source_lane), subqueue_count);
  }

  /// Warp collective of a worker that reads L2 itself: takes the root's batch of the heap that this warp reads. With
  /// fewer warps than heaps, it reads several. @return the number of elements
  SIMT_DEVICE u32 take_reserved(u32 /*window*/, u32& /*reserved*/, element& e) {
    const u32 warps = (simt::grid_blocks() - 1) * (simt::block_threads() / simt::warp_size);
    const u32 warp = simt::block_index() * (simt::block_threads() / simt::warp_size) + simt::warp_in_block();
    const u32 readers = warps < subqueue_count ? warps : subqueue_count;
    for (u32 heap = warp % readers; heap < subqueue_count; heap += readers) {
      const l2_batch<element> batch = this->remove(heap, subqueue_count);
      e = batch.own_element;
      if (batch.count != 0) return batch.count;
    }
    return 0;
  }

  SIMT_DEVICE u32 open_subqueue(u32 /*window*/, u32 rank) const {
    return (simt::block_index() + rank) % subqueue_count;
  }
  SIMT_DEVICE u32 subqueue_in_order(u32 /*window*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 advanced_window(u32 window, u32 /*rank*/) const { return window; }

 private:
  u32 next_;
};

}  // namespace mlmq
