// SPDX-License-Identifier: Apache-2.0
// Interface between the host and the kernel `two_queues`.
#pragma once

#include "queues/storage.cuh"

namespace mlmq::tests {

inline constexpr u32 two_queues_blocks = 3;

/// Sums over the elements that a block read from one of its queues.
struct returned {
  u64 count;
  u64 sum;
};

struct two_queues_arguments {
  queue_storage<u64> keyed[two_queues_blocks];  ///< one queue per block
  queue_storage<u32> plain[two_queues_blocks];
  returned* keyed_returned;  ///< one entry per block, 0 at the start
  returned* plain_returned;
  u32 rounds;  ///< number of rounds; each writes 32 elements to each queue
};

}  // namespace mlmq::tests
