// SPDX-License-Identifier: Apache-2.0
// L1 vector: a first-in first-out queue of one warp, flushed to L2 after every `wb` writes (MLMQ, section 3.4, L1V).
#pragma once

#include "queues/l1_deque.cuh"

namespace mlmq {

/// Scope: one warp, all lanes of which call every function together; with l1_of_block, a block.
/// Memory order: the lanes' accesses are ordered by sync_warp between two calls; other warps never access them.
/// Capacity: l1_capacity elements; a write without room moves the elements that `spill` selects to the lower level.
/// @tparam Traits those of l1_deque, and wb: number of writes between flushes to the lower level; 0: never
template <class Traits, class Counters>
class l1_vector : public l1_deque<Traits, Counters> {
 public:
  using element = typename Traits::order::element;

  SIMT_DEVICE l1_vector(element* shared, const typename Traits::storage&, const block_words*, Counters& counters)
      : l1_deque<Traits, Counters>(shared, counters) {}

  SIMT_DEVICE void save(u32* state) const { this->save_with(state, writes_since_flush_); }
  SIMT_DEVICE void load(const u32* state) { writes_since_flush_ = this->load_with(state); }

  /// Warp collective: appends the element of every lane with `valid`, after making room.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    this->make_room(writers, lower);
    this->queue_.push_back(e, writers);
    if constexpr (Traits::wb != 0) {
      if (++writes_since_flush_ == Traits::wb) {
        writes_since_flush_ = 0;
        const u32 keep = Traits::spill::elements_to_keep(this->queue_.size());
        this->counters_.add(queue_counter::l1_spills, this->queue_.spill_back(keep, lower));
      }
    }
  }

 private:
  u32 writes_since_flush_ = 0;
};

}  // namespace mlmq
