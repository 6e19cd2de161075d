// SPDX-License-Identifier: Apache-2.0
// L2 vector: one first-in first-out queue for the whole grid (MLMQ, section 4.2, L2V).
#pragma once

#include "queues/l2_rings.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l2_vector {
 public:
  static constexpr u32 ring_count = 1;
  /// Rings that are read at the same time.
  static constexpr u32 open_rings = 1;

  SIMT_DEVICE l2_vector(const sssp_arguments& arguments, const block_words* block, Counters& counters)
      : rings_(arguments, block, counters) {}

  /// Warp collective: appends the element of every lane with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    if (simt::any(valid)) rings_.template push<true>(0, e, valid);
  }

  /// The ring that is `rank`-th in priority, 0 … open_rings-1, for readers that last saw `base`.
  SIMT_DEVICE static u32 open_ring(u32 /*base*/, u32 rank) { return rank; }

  /// All rings in priority order, for the manager: 0 … ring_count-1.
  SIMT_DEVICE static u32 ring_in_order(u32 /*base*/, u32 rank) { return rank; }

  /// The base once the `rank`-th ring in priority order is the first that holds work.
  SIMT_DEVICE static u32 advanced_base(u32 base, u32 /*rank*/) { return base; }

  /// Whether a worker should process the element now or give it back.
  SIMT_DEVICE bool is_open(element) const { return true; }

  SIMT_DEVICE l2_rings<Counters>& rings() { return rings_; }

  static constexpr u32 first_base = 0;

 private:
  l2_rings<Counters> rings_;
};

}  // namespace mlmq
