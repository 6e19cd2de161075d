// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel phold_calendar.
#pragma once

#include "phold/control_abi.cuh"

namespace mlmq::phold {

/// Largest capacity of a bucket: a key has 10 bits for a position in it.
inline constexpr u32 max_bucket_capacity = 1020;

/// Bucket b of entity e is number s · N + e with s = b mod `buckets`: slots[number · capacity …], counts[number].
/// Behind them follow two lists per entity, for events beyond the ring: numbers from N · `buckets` on.
struct calendar_arguments {
  phold::model model;
  run_control* control;
  run_sums* sums;
  u64* slots;         ///< any content at the start of a run
  u64* lists;         ///< 2 · N · list_capacity; any content at the start of a run
  u32* counts;        ///< N · (buckets + 2); zeros at the start of a run
  u32* next_index;    ///< zeros at the start of a run; events that each entity has executed
  u64 end;            ///< in ticks: only earlier events are executed
  u64 time_limit_ns;  ///< time after which the run ends as timed_out
  u32 initial_events;
  u32 buckets;   ///< buckets of the ring, a power of two, at least 2 · buckets_per_window
  u32 capacity;  ///< capacity of a bucket: a multiple of 4, at most max_bucket_capacity
  u32 list_capacity;
  u32 buckets_per_window;  ///< a power of two
  u32 windows;             ///< until the end
  /// Bucket of a time: ((time >> time_shift) · bucket_factor) >> 32. The lookahead is at least buckets_per_window
  /// buckets.
  u32 time_shift;
  u32 bucket_factor;
};

/// Returns the bytes of shared memory of a block. @param groups of lanes in the block
constexpr u32 calendar_shared_bytes(u32 groups, u32 capacity) { return 16 + groups * (capacity + 4) * 8; }

}  // namespace mlmq::phold
