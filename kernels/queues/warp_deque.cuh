// SPDX-License-Identifier: Apache-2.0
// Common part of the L1 queues: a double-ended queue of one warp in shared memory.
//
// Only its warp touches it: head and size are equal on all lanes and live in registers, there are no atomics. Every
// function is a warp collective. Between two functions the lanes' accesses are ordered.
#pragma once

#include "queues/element.cuh"

namespace mlmq {

/// Warp collective: writes `count` elements, from place `first` of a deque's storage on, to `lower`. When it has
/// returned, the places may be written again. A lower level may have its own member write_run() for this.
template <u32 capacity, class Element, class Lower>
SIMT_DEVICE void write_run_to(Lower& lower, const Element* storage, u32 first, u32 count) {
  for (u32 done = 0; done < count; done += simt::warp_size) {
    const bool valid = done + simt::lane() < count;
    Element e = 0;
    if (valid) e = simt::load(storage + (first + done + simt::lane()) % capacity);
    lower.write(e, valid);
  }
  simt::sync_warp();
}

/// A deque, on which the levels l1_deque and l1_near_far are built. The caller makes room before a push.
/// @tparam Element a word
/// @tparam capacity_ elements, a power of two of at least 32
template <class Element, u32 capacity_>
class warp_deque {
  using element = Element;

 public:
  static constexpr u32 capacity = capacity_;
  static_assert((capacity & (capacity - 1)) == 0 && capacity >= simt::warp_size,
                "a capacity is a power of two, at least 32");

  /// @param storage `capacity` words of shared memory of this warp
  SIMT_DEVICE explicit warp_deque(element* storage) : storage_(storage) {}

  SIMT_DEVICE u32 size() const { return size_; }
  SIMT_DEVICE const element* storage() const { return storage_; }

  /// Size of the state in registers, for a queue that several warps use in turn.
  static constexpr u32 state_words = 2;
  /// Warp collective. @param state `state_words` words of shared memory
  SIMT_DEVICE void save(u32* state) const {
    if (simt::lane() < state_words) simt::store(state + simt::lane(), simt::lane() == 0 ? head_ : size_);
  }
  /// Warp collective: loads the state that another warp has saved.
  SIMT_DEVICE void load(const u32* state) {
    head_ = simt::load(state);
    size_ = simt::load(state + 1);
  }

  SIMT_DEVICE u32 room() const { return capacity - size_; }

  /// Appends the elements of the lanes in `writers`, lane 0 first. There must be room for them.
  SIMT_DEVICE void push_back(element e, u32 writers) {
    if (writers >> simt::lane() & 1) {
      simt::store(place(head_ + size_ + simt::popcount(writers & simt::lanes_below())), e);
    }
    size_ += simt::popcount(writers);
    simt::sync_warp();
  }

  /// Puts the elements of the lanes in `writers` before the first element, lane 0 foremost. There must be room for
  /// them.
  SIMT_DEVICE void push_front(element e, u32 writers) {
    head_ -= simt::popcount(writers);
    if (writers >> simt::lane() & 1) {
      simt::store(place(head_ + simt::popcount(writers & simt::lanes_below())), e);
    }
    size_ += simt::popcount(writers);
    simt::sync_warp();
  }

  /// Removes up to `most` (at most 32) elements from the front, one to each of the first lanes.
  /// @return whether this lane got one
  SIMT_DEVICE bool pop_front(element& e, u32 most = simt::warp_size) {
    const u32 count = size_ < most ? size_ : most;
    const bool valid = simt::lane() < count;
    if (valid) e = simt::load(place(head_ + simt::lane()));
    head_ += count;
    size_ -= count;
    // The places may be written again by other lanes after this.
    simt::sync_warp();
    return valid;
  }

  /// Removes up to `most` elements from the front. The next push may overwrite them.
  SIMT_DEVICE element_run take_front(u32 most) {
    const element_run run = {head_, size_ < most ? size_ : most};
    head_ += run.count;
    size_ -= run.count;
    return run;
  }

  /// Returns the first element, on all lanes. The queue must not be empty.
  SIMT_DEVICE element front() const { return simt::load(place(head_)); }

  /// Makes room for `count` (at most 32) elements: a queue that is too full moves the elements that `Spill` selects to
  /// `lower`.
  /// @return how many this lane moved
  template <class Spill, class Lower>
  SIMT_DEVICE u32 make_room(u32 count, Lower& lower) {
    if (room() >= count) return 0;
    const u32 most = capacity - count;
    const u32 keep = Spill::elements_to_keep(capacity) < most ? Spill::elements_to_keep(capacity) : most;
    return spill_back(keep, lower);
  }

  /// Moves the elements behind the first `keep` to `lower`, in order. @return how many this lane moved
  template <class Lower>
  SIMT_DEVICE u32 spill_back(u32 keep, Lower& lower) {
    if (size_ <= keep) return 0;
    const u32 count = size_ - keep;
    size_ = keep;
    if constexpr (requires { lower.template write_run<capacity>(storage_, head_, count); }) {
      lower.template write_run<capacity>(storage_, head_ + keep, count);
    } else {
      write_run_to<capacity>(lower, storage_, head_ + keep, count);
    }
    return count / simt::warp_size + (simt::lane() < count % simt::warp_size ? 1 : 0);
  }

 private:
  SIMT_DEVICE element* place(u32 position) const { return storage_ + position % capacity; }

  element* storage_;
  u32 head_ = 0;
  u32 size_ = 0;
};

/// Policy of the elements that a full or flushed L1 queue moves to L2: all of them.
struct spill_everything {
  /// Returns how many of `elements` elements stay.
  SIMT_DEVICE static constexpr u32 elements_to_keep(u32 /*elements*/) { return 0; }
};

/// Moves only the worst elements, the back half of the queue.
struct spill_worst {
  SIMT_DEVICE static constexpr u32 elements_to_keep(u32 elements) { return elements / 2; }
};

}  // namespace mlmq
