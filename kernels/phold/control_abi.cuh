// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and all kernels of PHOLD: control words and results.
#pragma once

#include "phold/model.cuh"
#include "simt/types.cuh"

namespace mlmq::phold {

/// Why a run ended.
enum class run_status : u32 { running = 0, finished = 1, timed_out = 2, aborted = 3, queue_full = 4 };

/// All zero at the start of a run, except `least`. Threads that wait at the barrier read `status` and `host_abort`
/// together.
struct run_control {
  alignas(128) u32 generation;  ///< barriers that all blocks have passed
  u32 status;                   ///< run_status
  u32 host_abort;               ///< set by the host to stop the run
  u32 unused;
  alignas(128) u32 arrived;  ///< blocks at the barrier, over all barriers
  /// The least event after a window, three words in rotation; all ones at the start of a run.
  alignas(128) u64 least[3];
  alignas(128) u32 window;  ///< for runs with one launch per window: finished windows
};

/// Sums over all threads. Zero at the start of a run, except `longest`.
struct run_sums {
  u64 events;        ///< executed events
  u64 hash;          ///< hash of the trace
  u64 windows;       ///< written by one thread
  u64 comparisons;   ///< comparisons of two events; this and the following only in variants that count
  u64 moves;         ///< events written to memory
  u64 refiled;       ///< of these, moved again by a calendar because they lay beyond its ring
  u64 longest;       ///< complement of the most events in one queue or bucket; all ones at the start of a run
  u64 insertion_ns;  ///< time that threads take to insert events into small queues
  u64 window_ns;     ///< time that threads take for windows with small queues
};

}  // namespace mlmq::phold
