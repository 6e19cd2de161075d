// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel phold_one_block.
#pragma once

#include "phold/control_abi.cuh"

namespace mlmq::phold {

/// Number of chains that link the events of a window by entity; a power of two.
inline constexpr u32 entity_chains = 1024;

/// Bucket b holds the times from b << bucket_shift on, for all entities.
struct one_block_arguments {
  phold::model model;
  run_control* control;
  run_sums* sums;
  u64* events;      ///< buckets · capacity; any content at the start of a run
  u32* owners;      ///< the same
  u32* next_index;  ///< zeros at the start of a run; events that each entity has executed
  u64 end;          ///< in ticks: only earlier events are executed
  u64 time_limit_ns;
  u32 initial_events;
  u32 buckets;        ///< buckets of the ring, a power of two
  u32 capacity;       ///< capacity of a bucket
  u32 near_capacity;  ///< capacity of the open bucket, a multiple of 32
  u32 bucket_shift;
  u32 shared_indices;  ///< entities whose counts of executed events are in shared memory: all, or 0 for `next_index`
};

/// Shared memory in bytes: some words, the open bucket, the events of a window, chains, counts of the buckets and of
/// executed events.
constexpr u32 one_block_shared_bytes(u32 near_capacity, u32 buckets, u32 shared_indices) {
  constexpr u32 words = 64 * 8;
  return words + near_capacity * (8 + 4) + near_capacity * (8 + 4 + 4 + 4) + entity_chains * 4 +
         (buckets + shared_indices) * 4;
}

}  // namespace mlmq::phold
