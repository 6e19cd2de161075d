// SPDX-License-Identifier: Apache-2.0
// Counters of queues. A counter class has add(queue_counter, u32 amount), which each lane calls for itself; the problem
// that instantiates a queue provides its own, or none.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

enum class queue_counter : u32 {
  deferred,  ///< elements that were sent back because their bucket is not open yet
  l0_writes,
  l0_reads,
  l1_writes,
  l1_reads,
  l1_spills,  ///< elements moved from L1 to L2 by a full queue or a periodic flush
  l2_writes,
  l2_reads,
  l2_claims,     ///< batches handed to workers
  atomics,       ///< atomics on heads, tails and slots of L2
  polls,         ///< reads of the subqueues' counts by the blocks' dispatchers
  delta_changes  ///< changes of the buckets' width by the manager
};

/// Counts nothing.
struct no_counters {
  template <class... Anything>
  SIMT_DEVICE explicit no_counters(Anything&&...) {}
  SIMT_DEVICE void add(queue_counter, u32) {}
};

}  // namespace mlmq
