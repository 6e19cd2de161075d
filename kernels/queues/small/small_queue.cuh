// SPDX-License-Identifier: Apache-2.0
// The interface of all small queues. Every function is a collective of the group (group.cuh):
//
//   Q(storage, queue, group, scratch, counters)   loads its state to registers. Beyond the last queue: an empty one
//                                that is never enabled, so that all groups of a warp can run in step
//   save()                       stores the state and ends its use; the next construction may follow at once
//   clear()                      makes it empty
//   size() is_empty()
//   insert(e, enabled = true)    the same element in all lanes; false: it is full and as it was. Groups that are not
//                                enabled change nothing and get true
//   least()                      or no_element when it is empty
//   remove_least(enabled = true) or no_element when it is empty or not enabled
//   settle()                     finishes insertions that wait for others, which removals do too
//   insert_many(e, has)          an element of each lane that has one; false: some of them did not fit
//   remove_many(count)           rank r gets the r-th least, r < count <= group size; or no_element
//   shape(capacity)              what the host allocates, static
//
// The scratch is shared memory of the block, the same address for all its groups; the host says how much
// (small_queue_choice::shared_bytes).
//
// One group owns a queue at a time, and no other thread reads or writes it, so no atomics are needed. Other groups send
// elements for insertion through an inbox (inbox.cuh).
//
// Every class needs the traits element (u32 or u64, least word first), group and layout, and its own parameters.
#pragma once

#include "queues/small/counters.cuh"
#include "queues/small/group.cuh"
#include "queues/small/layout.cuh"
#include "queues/small/storage.cuh"

namespace mlmq {

/// The memory of one queue, and functions that are defined by other functions.
/// @tparam Self the queue, which derives from it
template <class Self, class Traits, class Counters>
class small_queue {
 public:
  using element = typename Traits::element;
  using group = typename Traits::group;
  static constexpr element none = no_element<element>;

  SIMT_DEVICE u32 size() const { return size_; }
  SIMT_DEVICE bool is_empty() const { return size_ == 0; }
  SIMT_DEVICE u32 capacity() const { return capacity_; }
  SIMT_DEVICE void settle() {}

  SIMT_DEVICE bool insert_many(element e, bool has_element) {
    if constexpr (group::size == 1) {
      return self().insert(e, has_element);
    } else if constexpr (group::size > simt::warp_size) {
      bool fits = true;
      for (bool waits = has_element; group_.any(waits);) {
        const u32 owner = group_.least(waits ? group_.rank() : ~0u);
        if (!self().insert(group_.shuffle(e, owner))) fits = false;
        if (group_.rank() == owner) waits = false;
      }
      return fits;
    } else {
      bool fits = true;
      u32 pending_ranks = group_.ballot(has_element);
      while (group_.any_in_step(pending_ranks != 0)) {
        const u32 owner = pending_ranks != 0 ? simt::first_set(pending_ranks) : 0;
        if (!self().insert(group_.shuffle(e, owner), pending_ranks != 0)) fits = false;
        pending_ranks &= pending_ranks - 1;
      }
      return fits;
    }
  }

  SIMT_DEVICE element remove_many(u32 count) {
    element removed = none;
    for (u32 i = 0; group_.any_in_step(i < count); ++i) {
      const element e = self().remove_least(i < count);
      if (group_.rank() == i) removed = e;
    }
    return removed;
  }

 protected:
  static constexpr u32 lanes = group::size;

  SIMT_DEVICE small_queue(const small_queue_storage<element>& storage, u32 queue, group owner, Counters& counters)
      : group_(owner),
        counters_(counters),
        first_(storage.elements + Traits::layout::template first<lanes>(queue, storage.places)),
        state_(storage.state + queue),
        queues_(storage.queues),
        capacity_(storage.capacity),
        exists_(queue < storage.queues) {}

  SIMT_DEVICE u32 load_state(u32 word) const {
    return exists_ ? simt::load(state_ + static_cast<u64>(word) * queues_) : 0;
  }
  /// Called by one lane; all lanes must synchronise before they load the word.
  SIMT_DEVICE void store_state(u32 word, u32 value) const {
    if (exists_ && group_.rank() == 0) simt::store(state_ + static_cast<u64>(word) * queues_, value);
  }

  SIMT_DEVICE element load_place(u32 place) const {
    return simt::load(first_ + Traits::layout::template offset<lanes>(place));
  }
  SIMT_DEVICE void store_place(u32 place, element e) {
    counters_.add(small_queue_counter::moves, 1);
    simt::store(first_ + Traits::layout::template offset<lanes>(place), e);
  }
  SIMT_DEVICE void count_comparisons(u32 amount) { counters_.add(small_queue_counter::comparisons, amount); }

  group group_;
  Counters& counters_;
  element* first_;
  u32* state_;
  u32 queues_;
  u32 capacity_;
  bool exists_;
  u32 size_ = 0;

 private:
  SIMT_DEVICE Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace mlmq
