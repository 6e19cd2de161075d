// SPDX-License-Identifier: Apache-2.0
// A barrier over the grid: each block arrives once on one word, and one thread per block polls another.
#pragma once

#include "phold/control_abi.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

/// Ends the run early; called by any thread. The first reason is kept.
SIMT_DEVICE void stop(run_control* control, run_status reason) {
  simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(
      &control->status, static_cast<u32>(run_status::running), static_cast<u32>(reason));
}

/// Called by all threads of all blocks, which are resident together. Orders all accesses before it before all accesses
/// after it.
class grid_barrier {
 public:
  /// @param shared 16 bytes of shared memory that only the barrier uses, aligned to 8
  SIMT_DEVICE grid_barrier(run_control* control, u32* shared, u64 time_limit_ns)
      : control_(control), shared_(shared), deadline_(simt::clock_ns() + time_limit_ns) {}

  /// @return false if the run is over, and not all blocks have arrived. Equal in all threads of a block.
  SIMT_DEVICE bool wait() {
    simt::sync_block();
    if (simt::thread_in_block() == 0) simt::store(shared_, meet() ? 1u : 0u);
    simt::sync_block();
    return simt::load(shared_) != 0;
  }

  /// Like wait(), and loads `word` after the barrier if it returns true. No thread may write the word before all have
  /// reached the next barrier.
  SIMT_DEVICE bool wait(const u64* word, u64& value) {
    u64* const shared_value = reinterpret_cast<u64*>(shared_ + 2);
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      simt::store(shared_, meet() ? 1u : 0u);
      simt::store(shared_value, simt::load_atomic<simt::order::relaxed, simt::scope::device>(word));
    }
    simt::sync_block();
    value = simt::load(shared_value);
    return simt::load(shared_) != 0;
  }

 private:
  SIMT_DEVICE bool meet() {
    using simt::order;
    using simt::scope;
    const u32 blocks = simt::grid_blocks();
    ++passed_;
    // One block checks the deadline periodically, even if none waits long.
    if (simt::block_index() == 0 && passed_ % 16 == 0) static_cast<void>(is_over(true));
    const u32 before = simt::atomic_add<order::acq_rel, scope::device>(&control_->arrived, 1u);
    if (before == passed_ * blocks - 1) {
      simt::store_atomic<order::release, scope::device>(&control_->generation, passed_);
      return simt::load_atomic<order::relaxed, scope::device>(&control_->status) ==
             static_cast<u32>(run_status::running);
    }
    for (u32 looks = 1;; ++looks) {
      if (simt::load_atomic<order::acquire, scope::device>(&control_->generation) == passed_) break;
      // Rarely, because others wait for a word in the line that these loads touch.
      if (looks % 16 == 0) {
        if (is_over(looks % 256 == 0)) return false;
        simt::backoff(20);
      }
    }
    return simt::load_atomic<order::relaxed, scope::device>(&control_->status) == static_cast<u32>(run_status::running);
  }

  SIMT_DEVICE bool is_over(bool look_at_clock) {
    using simt::order;
    using simt::scope;
    if (simt::load_atomic<order::relaxed, scope::system>(&control_->host_abort) != 0) {
      stop(control_, run_status::aborted);
    } else if (look_at_clock && simt::clock_ns() > deadline_) {
      stop(control_, run_status::timed_out);
    }
    return simt::load_atomic<order::relaxed, scope::device>(&control_->status) != static_cast<u32>(run_status::running);
  }

  run_control* control_;
  u32* shared_;
  u64 deadline_;
  u32 passed_ = 0;
};

}  // namespace mlmq::phold
