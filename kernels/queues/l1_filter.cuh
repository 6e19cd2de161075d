// SPDX-License-Identifier: Apache-2.0
// L1 filter queue: keeps only elements at most F above the shortest element of their batch; the others go to L2 at once
// (MLMQ, section 3.4, L1FQ). Compared with near-far it uses L2 more, and hands low priorities to other warps sooner.
#pragma once

#include "queues/l1_deque.cuh"
#include "queues/order.cuh"

namespace mlmq {

/// Scope: one warp, all lanes of which call every function together; with l1_of_block, a block.
/// Memory order: the lanes' accesses are ordered by sync_warp between two calls; other warps never access them.
/// Capacity: l1_capacity elements; a write without room moves the elements that `spill` selects to the lower level.
/// @tparam Traits those of l1_deque, with a whole order (order.cuh); storage, with the member l1_width
template <class Traits, class Counters>
class l1_filter : public l1_deque<Traits, Counters> {
 public:
  using element = typename Traits::order::element;

 private:
  using order = typename Traits::order;

 public:
  SIMT_DEVICE l1_filter(element* shared, const typename Traits::storage& storage, const block_words*,
                        Counters& counters)
      : l1_deque<Traits, Counters>(shared, counters), width_(storage.l1_width) {}

  SIMT_DEVICE void save(u32* state) const { this->save_with(state, threshold_); }
  SIMT_DEVICE void load(const u32* state) { threshold_ = this->load_with(state); }

  /// Warp collective: keeps or passes on the element of every lane with `valid`. When the queue is empty, the shortest
  /// written element sets a new threshold.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    if (!simt::any(valid)) return;
    if (this->queue_.size() == 0) {
      threshold_ = order::extend(simt::warp_min(valid ? order::key_of(e) : no_key), width_);
    }
    const bool passes = valid && order::key_of(e) <= threshold_;
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
