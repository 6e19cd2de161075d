// SPDX-License-Identifier: Apache-2.0
// L1 shortest-length-first: a double-ended queue of one warp. Elements that are shorter than the first one go to the
// front, the others to the back; reads take from the front (MLMQ, section 3.4, L1SLF).
#pragma once

#include "queues/l1_deque.cuh"

namespace mlmq {

/// Scope: one warp, all lanes of which call every function together; with l1_of_block, a block.
/// Memory order: the lanes' accesses are ordered by sync_warp between two calls; other warps never access them.
/// Capacity: l1_capacity elements; a write without room moves the elements that `spill` selects to the lower level.
/// @tparam Traits those of l1_deque, with a whole order (order.cuh)
template <class Traits, class Counters>
class l1_slf : public l1_deque<Traits, Counters> {
 public:
  using element = typename Traits::order::element;

 private:
  using order = typename Traits::order;

 public:
  SIMT_DEVICE l1_slf(element* shared, const typename Traits::storage&, const block_words*, Counters& counters)
      : l1_deque<Traits, Counters>(shared, counters) {}

  SIMT_DEVICE void save(u32* state) const { this->save_with(state, 0); }
  SIMT_DEVICE void load(const u32* state) { this->load_with(state); }

  /// Warp collective: files the element of every lane with `valid`, after room was made at the back.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    this->make_room(writers, lower);
    const u32 shortest = this->queue_.size() == 0 ? 0 : order::key_of(this->queue_.front());
    const u32 to_front = simt::ballot(valid && order::key_of(e) < shortest);
    if (to_front != 0) this->queue_.push_front(e, to_front);
    if (to_front != writers) this->queue_.push_back(e, writers & ~to_front);
  }
};

}  // namespace mlmq
