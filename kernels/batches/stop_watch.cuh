// SPDX-License-Identifier: Apache-2.0
// How a multi-source run ends early: the time limit, a request of the host, a full pile.
#pragma once

#include "batches/batch_abi.cuh"
#include "simt/simt.cuh"

namespace mlmq::batches {

/// Ends the run; called by any thread. The first reason is kept.
SIMT_DEVICE void stop(batch_control* control, run_status reason) {
  using simt::order;
  using simt::scope;
  simt::atomic_compare_exchange<order::relaxed, scope::device>(&control->status, static_cast<u32>(run_status::running),
                                                               static_cast<u32>(reason));
}

/// Returns whether the run is over. @param deadline by simt::clock_ns()
SIMT_DEVICE bool is_over(batch_control* control, u64 deadline) {
  using simt::order;
  using simt::scope;
  if (simt::load_atomic<order::relaxed, scope::system>(&control->abort) != 0) {
    stop(control, run_status::aborted);
  } else if (simt::clock_ns() > deadline) {
    stop(control, run_status::timed_out);
  }
  return simt::load_atomic<order::relaxed, scope::device>(&control->status) != static_cast<u32>(run_status::running);
}

}  // namespace mlmq::batches
