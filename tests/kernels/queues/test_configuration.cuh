// SPDX-License-Identifier: Apache-2.0
// The compile-time parameters of the queue under test. Each test sets those that its queue reads.
#pragma once

#include "distance.cuh"
#include "queues/storage.cuh"
#include "queues/warp_deque.cuh"

#ifndef MLMQ_TEST_L0_DEPTH
#define MLMQ_TEST_L0_DEPTH 1
#endif
#ifndef MLMQ_TEST_CAPACITY
#define MLMQ_TEST_CAPACITY 32
#endif
#ifndef MLMQ_TEST_L1_BATCH
#define MLMQ_TEST_L1_BATCH 32
#endif
#ifndef MLMQ_TEST_WB
#define MLMQ_TEST_WB 0
#endif
#ifndef MLMQ_TEST_SPILL
#define MLMQ_TEST_SPILL spill_everything
#endif
#ifndef MLMQ_TEST_DISTANCE
#define MLMQ_TEST_DISTANCE integer_distance
#endif
#ifndef MLMQ_TEST_BMAX
#define MLMQ_TEST_BMAX 8
#endif
#ifndef MLMQ_TEST_PNUM
#define MLMQ_TEST_PNUM 2
#endif
#ifndef MLMQ_TEST_ADAPTS_DELTA
#define MLMQ_TEST_ADAPTS_DELTA 0
#endif
#ifndef MLMQ_TEST_BNUM
#define MLMQ_TEST_BNUM 1
#endif

namespace mlmq::tests {

struct configuration {
  using order = key_above_item<MLMQ_TEST_DISTANCE>;
  using storage = queue_storage<u64>;
  using spill = MLMQ_TEST_SPILL;
  static constexpr u32 l0_depth = MLMQ_TEST_L0_DEPTH;
  static constexpr bool l0_spills_all = true;
  static constexpr bool warps_read_l2 = false;
  static constexpr u32 l1_capacity = MLMQ_TEST_CAPACITY;
  static constexpr u32 l1_batch = MLMQ_TEST_L1_BATCH;
  static constexpr u32 wb = MLMQ_TEST_WB;
  static constexpr u32 bmax = MLMQ_TEST_BMAX;
  static constexpr u32 pnum = MLMQ_TEST_PNUM;
  static constexpr u32 bnum = MLMQ_TEST_BNUM;
  static constexpr u32 idle_buckets = 0;
  static constexpr bool adapts_delta = MLMQ_TEST_ADAPTS_DELTA != 0;
};

}  // namespace mlmq::tests
