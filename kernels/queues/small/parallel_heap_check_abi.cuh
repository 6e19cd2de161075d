// SPDX-License-Identifier: Apache-2.0
// What the fuzzer of the parallel heap and its kernel agree on.
#pragma once

#include "queues/small/parallel_heap_storage.cuh"

namespace mlmq {

struct parallel_heap_check_arguments {
  parallel_heap_storage<u64> storage;
  const u64* fresh;   ///< [step][node]
  const u32* counts;  ///< [step]: how many are removed
  u64* removed;       ///< [step][node]
  u64* sizes;         ///< [step]: after it
  u32* ended;         ///< steps that went well
  u32* arrived;       ///< blocks at the barrier, over all barriers; 0 before
  u32 steps;
};

}  // namespace mlmq
