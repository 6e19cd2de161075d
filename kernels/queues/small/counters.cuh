// SPDX-License-Identifier: Apache-2.0
// Counters of small queues. A counter class has add(small_queue_counter, u32 amount), which each lane calls for its own
// operations.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

enum class small_queue_counter : u32 {
  comparisons,  ///< comparisons of two elements
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
  SIMT_DEVICE void add(small_queue_counter kind, u32 amount) {
    (kind == small_queue_counter::comparisons ? comparisons : moves) += amount;
  }
};

}  // namespace mlmq
