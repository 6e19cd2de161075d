// SPDX-License-Identifier: Apache-2.0
// L2 vector: one first-in first-out queue for the whole grid (MLMQ, section 4.2, L2V).
#pragma once

#include "queues/l2_rings.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l2_vector : public l2_rings<Counters> {
 public:
  static constexpr u32 part_count = 1;
  static constexpr u32 open_parts = 1;
  static constexpr u32 parts_when_idle = open_parts;
  static constexpr u32 first_base = 0;

  using l2_rings<Counters>::l2_rings;

  /// Warp collective: appends the element of every lane with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    if (simt::any(valid)) this->template push<true>(0, e, valid);
  }

  static constexpr bool is_always_open = true;
  SIMT_DEVICE bool is_open(element) const { return true; }
  SIMT_DEVICE void note_deferred(element, bool) const {}

  SIMT_DEVICE u32 open_part(u32 /*base*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 part_in_order(u32 /*base*/, u32 rank) const { return rank; }
  SIMT_DEVICE u32 advanced_base(u32 base, u32 /*rank*/) const { return base; }
};

}  // namespace mlmq
