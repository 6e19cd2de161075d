// SPDX-License-Identifier: Apache-2.0
// The queue skeleton, an L1 queue: last in, first out for a warp. TODO: what it promises.
#pragma once

#include "queues/l1_deque.cuh"

namespace mlmq {

/// Scope: one warp, all lanes of which call every function together; with l1_of_block, a block.
/// Memory order: the lanes' accesses are ordered by sync_warp between two calls; other warps never access them.
/// Capacity: l1_capacity elements; a write without room moves the elements that `spill` selects to the lower level.
/// @tparam Traits those of l1_deque
template <class Traits, class Counters>
class skeleton : public l1_deque<Traits, Counters> {
 public:
  using element = typename Traits::order::element;

  SIMT_DEVICE skeleton(element* shared, const typename Traits::storage&, const block_words*, Counters& counters)
      : l1_deque<Traits, Counters>(shared, counters) {}

  SIMT_DEVICE void save(u32* state) const { this->save_with(state, 0); }
  SIMT_DEVICE void load(const u32* state) { this->load_with(state); }

  /// Warp collective: adds the element of every lane with `valid` in front of the others, after making room.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    this->make_room(writers, lower);
    this->queue_.push_front(e, writers);
  }
};

}  // namespace mlmq
