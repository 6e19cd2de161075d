// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel phold_parallel_heap.
#pragma once

#include "phold/control_abi.cuh"
#include "queues/small/parallel_heap_storage.cuh"

namespace mlmq::phold {

/// Bits of an element of the heap for the slot of its event; the others have the time in ticks.
inline constexpr u32 slot_bits = 26;
/// Later times count as this one. The end of a run is at most this.
inline constexpr u64 latest_heap_time = (1ull << (64 - slot_bits)) - 1;
/// The last slot would make an element of all ones.
inline constexpr u32 max_heap_events = (1u << slot_bits) - 1;

struct parallel_heap_arguments {
  phold::model model;
  run_control* control;
  run_sums* sums;
  parallel_heap_storage<u64> heap;
  u64* events;      ///< one per slot
  u32* targets;     ///< one per slot: the entity that executes the event
  u64* earliest;    ///< one per entity; all ones at the start of a run
  u32* next_index;  ///< zeros at the start of a run; events that each entity, or slot, has executed
  u64 end;          ///< in ticks: only earlier events are executed
  u64 time_limit_ns;
  u32 initial_events;  ///< below max_heap_events
};

/// Bytes of shared memory, for the barrier.
inline constexpr u32 parallel_heap_shared_bytes = 16;

}  // namespace mlmq::phold
