// SPDX-License-Identifier: Apache-2.0
// L1 shortest-length-first: a double-ended queue of one warp. What is shorter than the first element goes to the front,
// the rest to the back; reads take from the front (MLMQ, section 3.4, L1SLF).
#pragma once

#include "queues/l1_deque.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l1_slf : public l1_deque<Configuration, Counters> {
 public:
  SIMT_DEVICE l1_slf(u64* shared, const search_arguments&, const block_words*, Counters& counters)
      : l1_deque<Configuration, Counters>(shared, counters) {}

  SIMT_DEVICE void save(u32* to) const { this->save_with(to, 0); }
  SIMT_DEVICE void load(const u32* from) { this->load_with(from); }

  /// Warp collective: files the element of every lane with `valid`, after room was made at the back.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    this->make_room(writers, lower);
    const u32 shortest = this->queue_.size() == 0 ? 0 : distance_of(this->queue_.front());
    const u32 to_front = simt::ballot(valid && distance_of(e) < shortest);
    if (to_front != 0) this->queue_.push_front(e, to_front);
    if (to_front != writers) this->queue_.push_back(e, writers & ~to_front);
  }
};

}  // namespace mlmq
