// SPDX-License-Identifier: Apache-2.0
// What the host and all kernels of PHOLD agree on: control words and results.
#pragma once

#include "phold/model.cuh"
#include "simt/types.cuh"

namespace mlmq::phold {

/// Why a run ended.
enum class run_status : u32 { running = 0, finished = 1, timed_out = 2, aborted = 3, full = 4 };

/// All zero at the start of a run, except `least`. Threads that wait at the barrier read `status` and `host_abort` together.
struct run_control {
  alignas(128) u32 generation;  ///< barriers that all blocks have passed
  u32 status;                   ///< run_status
  u32 host_abort;               ///< set by the host to stop the run
  u32 unused;
  alignas(128) u32 arrived;   ///< blocks at the barrier, over all barriers
  alignas(128) u64 least[3];  ///< the least event after a window, three words in rotation; all ones at the start of a run
  alignas(128) u32 window;    ///< of runs with a launch for each window: windows done
};

/// Sums over all threads. Zero at the start of a run but for `longest`.
struct run_sums {
  u64 events;       ///< executed
  u64 hash;         ///< of the trace
  u64 windows;      ///< written by one thread
  u64 comparisons;  ///< of two events; from here on by variants that count
  u64 moves;        ///< events written to memory
  u64 refiled;      ///< of these: by a calendar, because they lay beyond its ring
  u64 longest;      ///< complement of the most events in one queue or bucket; all ones at the start of a run
};

}  // namespace mlmq::phold
