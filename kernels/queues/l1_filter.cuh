// SPDX-License-Identifier: Apache-2.0
// L1 filter queue: keeps only what is at most F above the shortest element of its batch; the rest goes to L2 at once
// (MLMQ, section 3.4, L1FQ). Compared with near-far it uses L2 more, and hands low priorities to other warps sooner.
#pragma once

#include "queues/l1_deque.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l1_filter : public l1_deque<Configuration, Counters> {
  using distance = typename Configuration::distance;

 public:
  SIMT_DEVICE l1_filter(u64* shared, const search_arguments& arguments, const block_words*, Counters& counters)
      : l1_deque<Configuration, Counters>(shared, counters), width_(arguments.l1_width) {}

  SIMT_DEVICE void save(u32* to) const { this->save_with(to, threshold_); }
  SIMT_DEVICE void load(const u32* from) { threshold_ = this->load_with(from); }

  /// Warp collective: keeps or passes on the element of every lane with `valid`. The threshold moves when the queue is
  /// empty: then the shortest of what is written defines it anew.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    if (!simt::any(valid)) return;
    if (this->queue_.size() == 0) {
      threshold_ = distance::extend(simt::warp_min(valid ? distance_of(e) : unreached), width_);
    }
    const bool passes = valid && distance_of(e) <= threshold_;
    lower.write(e, valid && !passes);
    const u32 writers = simt::ballot(passes);
    if (writers == 0) return;
    this->make_room(writers, lower);
    this->queue_.push_back(e, writers);
  }

 private:
  u32 width_;
  u32 threshold_ = 0;
};

}  // namespace mlmq
