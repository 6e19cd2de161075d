// SPDX-License-Identifier: Apache-2.0
// L1 shortest-length-first: a double-ended queue of one warp. What is shorter than the first element goes to the front,
// the rest to the back; reads take from the front (MLMQ, section 3.4, L1SLF).
#pragma once

#include "queues/warp_deque.cuh"
#include "search_abi.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l1_slf {
  using spill = typename Configuration::spill;

 public:
  static constexpr u32 storage = Configuration::l1_capacity;

  SIMT_DEVICE l1_slf(u64* shared, const search_arguments&, Counters& counters) : queue_(shared), counters_(counters) {}

  /// Warp collective: up to 32 elements from the front. @return false when there is none
  SIMT_DEVICE bool read(element& e, bool& valid) {
    if (queue_.size() == 0) return false;
    valid = queue_.pop_front(e);
    if (valid) counters_.add(counter::l1_reads, 1);
    return true;
  }

  /// Warp collective: files the element of every lane with `valid`, after room was made at the back.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    counters_.add(counter::l1_spills, queue_.template make_room<spill>(simt::popcount(writers), lower));
    const u32 shortest = queue_.size() == 0 ? 0 : distance_of(queue_.front());
    const u32 to_front = simt::ballot(valid && distance_of(e) < shortest);
    if (to_front != 0) queue_.push_front(e, to_front);
    if (to_front != writers) queue_.push_back(e, writers & ~to_front);
    if (valid) counters_.add(counter::l1_writes, 1);
  }

 private:
  warp_deque<Configuration::l1_capacity> queue_;
  Counters& counters_;
};

}  // namespace mlmq
