// SPDX-License-Identifier: Apache-2.0
// Ends a run early: at its time limit, on a request of the host, or when memory is full.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// The words that end a run. @tparam Status has `running`, `timed_out` and `aborted`
template <class Status>
struct run_watch {
  u32* status;
  const u32* host_abort;
  u64 deadline = 0;  ///< time of simt::clock_ns(); only for end_if_due()

  /// Ends the run; called by any thread. The first reason is kept.
  SIMT_DEVICE void stop(Status reason) const {
    simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(status, static_cast<u32>(Status::running),
                                                                             static_cast<u32>(reason));
  }

  SIMT_DEVICE bool is_running() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::device>(status) == static_cast<u32>(Status::running);
  }

  /// Ends the run if the host asks for it or its time is up. @return whether the run is over
  SIMT_DEVICE bool end_if_due(bool checks_clock = true) const {
    if (simt::load_atomic<simt::order::relaxed, simt::scope::system>(host_abort) != 0) {
      stop(Status::aborted);
    } else if (checks_clock && simt::clock_ns() > deadline) {
      stop(Status::timed_out);
    }
    return !is_running();
  }
};

}  // namespace mlmq
