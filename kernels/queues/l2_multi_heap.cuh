// SPDX-License-Identifier: Apache-2.0
// L2 multi-queue: pnum heaps (MLMQ, section 4.2, L2MPQ). A block reads from its own heap, and from the others when that
// is empty; each warp writes to all of them in turn.
#pragma once

#include "queues/l2_heaps.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l2_multi_heap : public l2_heaps<Counters> {
 public:
  static constexpr u32 part_count = Configuration::pnum;
  static constexpr u32 open_parts = part_count;
  static constexpr u32 parts_when_idle = open_parts;
  static constexpr u32 first_base = 0;
  static constexpr bool keeps_state = true;  // whose turn it is
  static_assert(part_count <= max_rings);

  SIMT_DEVICE l2_multi_heap(const search_arguments& arguments, const block_words* block, Counters& counters)
      : l2_heaps<Counters>(arguments, block, counters),
        next_((simt::block_index() + simt::warp_in_block()) % part_count) {}

  /// Warp collective: inserts the element of every lane with `valid` into the next heap.
  SIMT_DEVICE void write(element e, bool valid) {
    if (!simt::any(valid)) return;
    this->insert(next_, part_count, e, valid);
    next_ = (next_ + 1) % part_count;
  }

  static constexpr bool is_always_open = true;
  SIMT_DEVICE bool is_open(element) const { return true; }
  SIMT_DEVICE void note_deferred(element, bool) const {}

  SIMT_DEVICE l2_batch claim(u32 part, u32, simt::quad, u32 looker) {
    return this->remove(simt::shuffle(part, looker), part_count);
  }

  SIMT_DEVICE u32 open_part(u32 /*base*/, u32 rank) const { return (simt::block_index() + rank) % part_count; }
  SIMT_DEVICE u32 part_in_order(u32 /*base*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 advanced_base(u32 base, u32 /*rank*/) const { return base; }

 private:
  u32 next_;
};

}  // namespace mlmq
