// SPDX-License-Identifier: Apache-2.0
// L2 priority queue: one heap for the whole grid (MLMQ, section 4.2, L2PQ). The strongest order, and every operation
// passes the root.
#pragma once

#include "queues/l2_heaps.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l2_heap : public l2_heaps<Counters> {
 public:
  static constexpr u32 part_count = 1;
  static constexpr u32 open_parts = 1;
  static constexpr u32 parts_when_idle = open_parts;
  static constexpr u32 first_base = 0;

  using l2_heaps<Counters>::l2_heaps;

  /// Warp collective: inserts the element of every lane with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    if (simt::any(valid)) this->insert(0, part_count, e, valid);
  }

  static constexpr bool is_always_open = true;
  SIMT_DEVICE bool is_open(element) const { return true; }
  SIMT_DEVICE void note_deferred(element, bool) const {}

  SIMT_DEVICE l2_batch claim(u32, u32, simt::quad, u32) { return this->remove(0, part_count); }

  SIMT_DEVICE u32 open_part(u32 /*base*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 part_in_order(u32 /*base*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 advanced_base(u32 base, u32 /*rank*/) const { return base; }
};

}  // namespace mlmq
