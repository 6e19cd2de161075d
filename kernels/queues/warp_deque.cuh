// SPDX-License-Identifier: Apache-2.0
// What the L1 queues are made of: a double-ended queue of one warp in shared memory.
//
// Only its warp touches it: head and size are equal on all lanes and live in registers, there are no atomics. Every
// function is a warp collective. Between two functions the lanes' accesses are ordered.
#pragma once

#include "queues/element.cuh"

namespace mlmq {

template <u32 capacity_>
class warp_deque {
 public:
  static constexpr u32 capacity = capacity_;
  static_assert((capacity & (capacity - 1)) == 0 && capacity >= simt::warp_size,
                "l1_capacity is a power of two, at least 32");

  /// @param storage `capacity` words of shared memory of this warp
  SIMT_DEVICE explicit warp_deque(u64* storage) : storage_(storage) {}

  SIMT_DEVICE u32 size() const { return size_; }

  /// What the registers hold, for a queue that several warps use in turn.
  static constexpr u32 state_words = 2;
  /// Warp collective. @param to `state_words` words of shared memory
  SIMT_DEVICE void save(u32* to) const {
    if (simt::lane() < state_words) simt::store(to + simt::lane(), simt::lane() == 0 ? head_ : size_);
  }
  /// Warp collective, after what another warp has saved.
  SIMT_DEVICE void load(const u32* from) {
    head_ = simt::load(from);
    size_ = simt::load(from + 1);
  }

  SIMT_DEVICE u32 room() const { return capacity - size_; }

  /// Appends the elements of the lanes in `writers`, lane 0 first. They fit.
  SIMT_DEVICE void push_back(element e, u32 writers) {
    if (writers >> simt::lane() & 1) {
      simt::store(place(head_ + size_ + simt::popcount(writers & simt::lanes_below())), e);
    }
    size_ += simt::popcount(writers);
    simt::sync_warp();
  }

  /// Puts the elements of the lanes in `writers` before the first, lane 0 foremost. They fit.
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
    // The places may be written again by other lanes.
    simt::sync_warp();
    return valid;
  }

  /// Removes up to `most` (at most 32) elements from the back.
  SIMT_DEVICE bool pop_back(element& e, u32 most = simt::warp_size) {
    const u32 count = size_ < most ? size_ : most;
    size_ -= count;
    const bool valid = simt::lane() < count;
    if (valid) e = simt::load(place(head_ + size_ + simt::lane()));
    simt::sync_warp();
    return valid;
  }

  /// The first element, on all lanes. There is one.
  SIMT_DEVICE element front() const { return simt::load(place(head_)); }

  /// Makes room for `count` (at most 32) elements: a queue that is too full moves what `Spill` says to `lower`.
  /// @return how many this lane moved
  template <class Spill, class Lower>
  SIMT_DEVICE u32 make_room(u32 count, Lower& lower) {
    if (room() >= count) return 0;
    const u32 most = capacity - count;
    const u32 keep = Spill::kept(capacity) < most ? Spill::kept(capacity) : most;
    return keep == 0 ? spill_all(lower) : spill_back(keep, lower);
  }

  /// Moves elements from the back to `lower` until at most `keep` are left.
  template <class Lower>
  SIMT_DEVICE u32 spill_back(u32 keep, Lower& lower) {
    u32 moved = 0;
    while (size_ > keep) {
      const u32 surplus = size_ - keep;
      element e = 0;
      const bool valid = pop_back(e, surplus < simt::warp_size ? surplus : simt::warp_size);
      moved += valid ? 1 : 0;
      lower.write(e, valid);
    }
    return moved;
  }

  /// Moves all elements to `lower`, the first ones first.
  template <class Lower>
  SIMT_DEVICE u32 spill_all(Lower& lower) {
    u32 moved = 0;
    while (size_ != 0) {
      element e = 0;
      const bool valid = pop_front(e);
      moved += valid ? 1 : 0;
      lower.write(e, valid);
    }
    return moved;
  }

 private:
  SIMT_DEVICE u64* place(u32 position) const { return storage_ + position % capacity; }

  u64* storage_;
  u32 head_ = 0;
  u32 size_ = 0;
};

/// What a full L1 queue moves to L2.
struct spill_everything {
  /// Elements that stay in a queue of this capacity.
  SIMT_DEVICE static constexpr u32 kept(u32 /*capacity*/) { return 0; }
};

/// Only the worst: the back half of the queue stays out.
struct spill_worst {
  SIMT_DEVICE static constexpr u32 kept(u32 capacity) { return capacity / 2; }
};

}  // namespace mlmq
