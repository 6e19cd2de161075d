// SPDX-License-Identifier: Apache-2.0
// A barrier over a part of the grid: a set of blocks that work together, independently of the other parts.
#pragma once

#include "batches/stop_watch.cuh"
#include "simt/simt.cuh"

namespace mlmq::batches {

/// Called by all threads of all blocks of the part, which are resident together.
class part_barrier {
 public:
  /// @param goes_on a word of shared memory that only the barrier uses
  SIMT_DEVICE part_barrier(batch_control* run, part_control* part, u32 blocks, bool leads, u32* goes_on, u64 deadline)
      : run_(run), part_(part), goes_on_(goes_on), deadline_(deadline), blocks_(blocks), leads_(leads) {}

  /// Orders all accesses before it before all accesses after it.
  /// @return false if the run is over, and not all blocks have arrived. Equal in all threads of a block.
  SIMT_DEVICE bool wait() {
    simt::sync_block();
    if (simt::thread_in_block() == 0) simt::store(goes_on_, meet() ? 1u : 0u);
    simt::sync_block();
    return simt::load(goes_on_) != 0;
  }

 private:
  SIMT_DEVICE bool runs() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::device>(&run_->status) ==
           static_cast<u32>(run_status::running);
  }

  SIMT_DEVICE bool meet() {
    using simt::order;
    using simt::scope;
    ++passed_;
    // One block checks the deadline periodically, even if none waits long.
    if (leads_ && passed_ % 8 == 0) static_cast<void>(is_over(run_, deadline_));
    const u32 before = simt::atomic_add<order::acq_rel, scope::device>(&part_->arrived, 1u);
    if (before == passed_ * blocks_ - 1) {
      simt::store_atomic<order::release, scope::device>(&part_->generation, passed_);
      return runs();
    }
    for (u32 looks = 1; simt::load_atomic<order::acquire, scope::device>(&part_->generation) != passed_; ++looks) {
      if (looks % 64 == 0 && is_over(run_, deadline_)) return false;
      simt::backoff(20);
    }
    return runs();
  }

  batch_control* run_;
  part_control* part_;
  u32* goes_on_;
  u64 deadline_;
  u32 blocks_;
  u32 passed_ = 0;
  bool leads_;
};

}  // namespace mlmq::batches
