// SPDX-License-Identifier: Apache-2.0
// L1 vector: a first-in first-out queue of one warp, flushed to L2 after every `wb` writes (MLMQ, section 3.4, L1V).
#pragma once

#include "queues/warp_deque.cuh"
#include "search_abi.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l1_vector {
  using spill = typename Configuration::spill;

 public:
  static constexpr u32 storage = Configuration::l1_capacity;

  SIMT_DEVICE l1_vector(u64* shared, const search_arguments&, Counters& counters) : queue_(shared), counters_(counters) {}

  /// Warp collective: up to 32 elements, oldest first. @return false when there is none
  SIMT_DEVICE bool read(element& e, bool& valid) {
    if (queue_.size() == 0) return false;
    valid = queue_.pop_front(e);
    if (valid) counters_.add(counter::l1_reads, 1);
    return true;
  }

  /// Warp collective: appends the element of every lane with `valid`, after room was made.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    u32 spilled = queue_.template make_room<spill>(simt::popcount(writers), lower);
    queue_.push_back(e, writers);
    if (valid) counters_.add(counter::l1_writes, 1);
    if constexpr (Configuration::wb != 0) {
      if (++writes_since_flush_ == Configuration::wb) {
        writes_since_flush_ = 0;
        spilled += queue_.spill_all(lower);
      }
    }
    counters_.add(counter::l1_spills, spilled);
  }

 private:
  warp_deque<Configuration::l1_capacity> queue_;
  Counters& counters_;
  u32 writes_since_flush_ = 0;
};

}  // namespace mlmq
