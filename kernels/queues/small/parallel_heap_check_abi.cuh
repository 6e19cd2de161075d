// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the fuzzer of the parallel heap and its kernel.
#pragma once

#include "queues/small/parallel_heap_storage.cuh"

namespace mlmq {

struct parallel_heap_check_arguments {
  parallel_heap_storage<u64> storage;
  const u64* fresh;   ///< [step][node]
  const u32* counts;  ///< [step]: number of elements to remove
  u64* removed;       ///< [step][node]
  u64* sizes;         ///< [step]: the size after it
  u32* ended;         ///< steps that succeeded
  u32* arrived;       ///< blocks at the barrier, over all barriers; 0 before
  u32 steps;
};

}  // namespace mlmq
