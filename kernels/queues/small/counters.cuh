// SPDX-License-Identifier: Apache-2.0
// What small queues count. A counter class has add(small_queue_counter, u32 amount), called by each lane for what it has
// done itself.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

enum class small_queue_counter : u32 {
  comparisons,  ///< of two elements
  moves         ///< elements written to memory, of the first level or the second
};

/// Counts nothing.
struct no_small_counters {
  SIMT_DEVICE void add(small_queue_counter, u32) {}
};

/// Sums of one lane.
struct small_counter_sums {
  u64 comparisons = 0;
  u64 moves = 0;
  SIMT_DEVICE void add(small_queue_counter which, u32 amount) {
    (which == small_queue_counter::comparisons ? comparisons : moves) += amount;
  }
};

}  // namespace mlmq
