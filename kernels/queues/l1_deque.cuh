// SPDX-License-Identifier: Apache-2.0
// What the L1 queues with one deque have in common: reading from the front, and making room at the back.
#pragma once

#include "queues/warp_deque.cuh"
#include "search_abi.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l1_deque {
 public:
  static constexpr u32 storage = Configuration::l1_capacity;

  /// @param shared `storage` words of shared memory of this warp
  SIMT_DEVICE l1_deque(u64* shared, Counters& counters) : queue_(shared), counters_(counters) {}

  /// Warp collective: up to 32 elements from the front. @return false when there is none
  SIMT_DEVICE bool read(element& e, bool& valid) {
    if (queue_.size() == 0) return false;
    valid = queue_.pop_front(e);
    if (valid) counters_.add(counter::l1_reads, 1);
    return true;
  }

 protected:
  /// Warp collective: room for the elements of the lanes in `writers`, which will be pushed.
  template <class Lower>
  SIMT_DEVICE void make_room(u32 writers, Lower& lower) {
    counters_.add(counter::l1_spills,
                  queue_.template make_room<typename Configuration::spill>(simt::popcount(writers), lower));
    counters_.add(counter::l1_writes, writers >> simt::lane() & 1);
  }

  warp_deque<Configuration::l1_capacity> queue_;
  Counters& counters_;
};

}  // namespace mlmq
