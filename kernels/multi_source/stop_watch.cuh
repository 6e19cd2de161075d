// SPDX-License-Identifier: Apache-2.0
// Ends a multi-source run early: at its time limit, on a request of the host, or when a pile is full.
#pragma once

#include "multi_source/multi_source_abi.cuh"
#include "run_watch.cuh"

namespace mlmq::multi_source {

/// Returns the words that end the run. @param deadline time of simt::clock_ns()
SIMT_DEVICE run_watch<run_status> watch_of(multi_source_control* control, u64 deadline) {
  return {&control->status, &control->host_abort, deadline};
}

/// Ends the run; called by any thread. The first reason is kept.
SIMT_DEVICE void stop(multi_source_control* control, run_status reason) { watch_of(control, 0).stop(reason); }

}  // namespace mlmq::multi_source
