// SPDX-License-Identifier: Apache-2.0
// Ends a run of PHOLD early, and defines the barrier of its grid.
#pragma once

#include "block_barrier.cuh"
#include "phold/control_abi.cuh"
#include "run_watch.cuh"

namespace mlmq::phold {

/// Returns the words that end the run. @param deadline time of simt::clock_ns()
SIMT_DEVICE run_watch<run_status> watch_of(run_control* control, u64 deadline) {
  return {&control->status, &control->host_abort, deadline};
}

/// Ends the run; called by any thread. The first reason is kept.
SIMT_DEVICE void stop(run_control* control, run_status reason) { watch_of(control, 0).stop(reason); }

/// Checks the run rarely, because other blocks poll a word in the same cache line.
using grid_barrier = block_barrier<barrier_periods{.leader = 16, .abort = 16, .clock = 256, .pause = 16}, run_status>;

/// Returns the barrier of all blocks, which are resident together. @param shared see block_barrier
SIMT_DEVICE grid_barrier barrier_of(run_control* control, u32* shared, u64 time_limit_ns) {
  return {watch_of(control, simt::clock_ns() + time_limit_ns),
          &control->arrived,
          &control->generation,
          simt::grid_blocks(),
          simt::block_index() == 0,
          shared};
}

}  // namespace mlmq::phold
