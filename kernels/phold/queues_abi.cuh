// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel phold_queues.
#pragma once

#include "phold/control_abi.cuh"
#include "queues/small/storage.cuh"

namespace mlmq::phold {

struct queues_arguments {
  phold::model model;
  run_control* control;
  run_sums* sums;
  small_queue_storage<u64> queues;  ///< one per entity; empty at the start of a run
  inbox_storage<u64> inboxes[2];    ///< two per entity, which alternate; empty at the start of a run
  u32* next_index;                  ///< zeros at the start of a run; events that each entity has executed
  u64 end;                          ///< in ticks: only earlier events are executed
  u64 time_limit_ns;
  u32 initial_events;
  u32 step;  ///< with one launch per window: 0 sends the initial events, every other executes a window, in order
};

/// Bytes of shared memory before that of the queues.
inline constexpr u32 queues_own_bytes = 512;

}  // namespace mlmq::phold
