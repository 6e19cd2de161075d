// SPDX-License-Identifier: Apache-2.0
// L1 filter queue: keeps only what is at most F above the shortest element of its batch; the rest goes to L2 at once
// (MLMQ, section 3.4, L1FQ). Compared with near-far it uses L2 more, and hands low priorities to other warps sooner.
#pragma once

#include "queues/warp_deque.cuh"
#include "search_abi.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l1_filter {
  using spill = typename Configuration::spill;
  using distance = typename Configuration::distance;

 public:
  static constexpr u32 storage = Configuration::l1_capacity;

  SIMT_DEVICE l1_filter(u64* shared, const search_arguments& arguments, Counters& counters)
      : queue_(shared), counters_(counters), width_(arguments.l1_width) {}

  /// Warp collective: up to 32 elements, oldest first. @return false when there is none
  SIMT_DEVICE bool read(element& e, bool& valid) {
    if (queue_.size() == 0) return false;
    valid = queue_.pop_front(e);
    if (valid) counters_.add(counter::l1_reads, 1);
    return true;
  }

  /// Warp collective: keeps or passes on the element of every lane with `valid`. The threshold moves when the queue is
  /// empty: then the shortest of what is written defines it anew.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    if (!simt::any(valid)) return;
    if (queue_.size() == 0) {
      threshold_ = distance::extend(simt::warp_min(valid ? distance_of(e) : unreached), width_);
    }
    const bool passes = valid && distance_of(e) <= threshold_;
    lower.write(e, valid && !passes);
    const u32 writers = simt::ballot(passes);
    if (writers == 0) return;
    counters_.add(counter::l1_spills, queue_.template make_room<spill>(simt::popcount(writers), lower));
    queue_.push_back(e, writers);
    if (passes) counters_.add(counter::l1_writes, 1);
  }

 private:
  warp_deque<Configuration::l1_capacity> queue_;
  Counters& counters_;
  u32 width_;
  u32 threshold_ = 0;
};

}  // namespace mlmq
