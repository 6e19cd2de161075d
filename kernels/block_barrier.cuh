// SPDX-License-Identifier: Apache-2.0
// A barrier over blocks that are resident together: each block arrives once on a word, and one thread per block waits.
#pragma once

#include "run_watch.cuh"

namespace mlmq {

/// Intervals at which blocks at a barrier do more than wait.
struct barrier_periods {
  u32 leader;  ///< barriers after which the leader checks whether the run is over, even if no block waits long
  u32 abort;   ///< polls of a waiting block after which it checks for a request of the host
  u32 clock;   ///< polls after which it also checks the deadline; a multiple of `abort`
  u32 pause;   ///< polls after which it pauses
  /// Whether waiting blocks poll the word on which blocks arrive, which is faster, but needs few blocks. Otherwise the
  /// last block to arrive writes another word for them.
  bool polls_arrivals = false;
};

/// Called by all threads of the blocks. Orders all accesses before it before all accesses after it.
template <barrier_periods periods, class Status>
class block_barrier {
 public:
  /// @param arrived, generation zero at the start of a run; with polls_arrivals, `generation` may be null
  /// @param shared 16 bytes of shared memory that only the barrier uses, aligned to 8; 4 for wait() without a word
  SIMT_DEVICE block_barrier(const run_watch<Status>& run, u32* arrived, u32* generation, u32 blocks, bool leads,
                            u32* shared)
      : run_(run), arrived_(arrived), generation_(generation), shared_(shared), blocks_(blocks), leads_(leads) {}

  /// @return false if the run is over, and not all blocks have arrived. With polls_arrivals it may be true once more
  ///   after the run is over, if all blocks have arrived. Equal in all threads of a block.
  SIMT_DEVICE bool wait() {
    simt::sync_block();
    if (simt::thread_in_block() == 0) simt::store(shared_, synchronise() ? 1u : 0u);
    simt::sync_block();
    return simt::load(shared_) != 0;
  }

  /// Like wait(), and loads `word` after the barrier if it returns true. No thread may write the word before all have
  /// reached the next barrier.
  SIMT_DEVICE bool wait(const u64* word, u64& value) {
    u64* const shared_value = reinterpret_cast<u64*>(shared_ + 2);
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      simt::store(shared_, synchronise() ? 1u : 0u);
      simt::store(shared_value, simt::load_atomic<simt::order::relaxed, simt::scope::device>(word));
    }
    simt::sync_block();
    value = simt::load(shared_value);
    return simt::load(shared_) != 0;
  }

 private:
  SIMT_DEVICE bool synchronise() {
    using simt::order;
    using simt::scope;
    ++passed_;
    if (leads_ && passed_ % periods.leader == 0) static_cast<void>(run_.end_if_due());
    if constexpr (periods.polls_arrivals) {
      simt::reduce_add<order::release, scope::device>(arrived_, 1u);
    } else {
      const u32 before = simt::atomic_add<order::acq_rel, scope::device>(arrived_, 1u);
      if (before == passed_ * blocks_ - 1) {
        simt::store_atomic<order::release, scope::device>(generation_, passed_);
        return run_.is_running();
      }
    }
    for (u32 polls = 1; !has_passed(); ++polls) {
      if (polls % periods.abort == 0 && run_.end_if_due(polls % periods.clock == 0)) return false;
      if (polls % periods.pause == 0) simt::backoff(20);
    }
    return periods.polls_arrivals || run_.is_running();
  }

  SIMT_DEVICE bool has_passed() const {
    if constexpr (periods.polls_arrivals)
      return simt::load_atomic<simt::order::acquire, simt::scope::device>(arrived_) >= passed_ * blocks_;
    return simt::load_atomic<simt::order::acquire, simt::scope::device>(generation_) == passed_;
  }

  run_watch<Status> run_;
  u32* arrived_;
  u32* generation_;
  u32* shared_;
  u32 blocks_;
  u32 passed_ = 0;
  bool leads_;
};

}  // namespace mlmq
