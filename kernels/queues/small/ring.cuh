// SPDX-License-Identifier: Apache-2.0
// Small queue: a sorted circular buffer by one thread (the paper's CB-SEQ, section 3.2). Insertion searches its
// position from the back or from the front and moves each element that it passes by one place.
//
// An insertion reads and writes one element for each that it passes: n / 2 for a random position of n. A removal reads
// one. Suited to up to a few tens of elements, or if inserted elements belong near the end at which the search begins.
#pragma once

#include "queues/small/small_queue.cuh"

namespace mlmq {

/// Search from the largest element.
struct from_back {
  static constexpr bool is_back = true;
};
/// Search from the least element.
struct from_front {
  static constexpr bool is_back = false;
};

/// The common part of the circular buffers: a sorted run in a ring of a power of two of places. State: head, size.
template <class Self, class Traits, class Counters>
class small_ring_base : public small_queue<Self, Traits, Counters> {
  using base = small_queue<Self, Traits, Counters>;

 public:
  using element = typename base::element;
  using group = typename base::group;
  using base::none;

  static constexpr small_queue_shape shape(u32 capacity) { return small_ring_shape(capacity); }

  SIMT_DEVICE void clear() {
    size_ = 0;
    least_ = none;
  }
  SIMT_DEVICE element least() const { return least_; }

 protected:
  using base::group_, base::size_, base::capacity_, base::lanes;

  SIMT_DEVICE small_ring_base(const small_queue_storage<element>& storage, u32 queue, group owner, Counters& counters)
      : base(storage, queue, owner, counters) {
    head_ = base::load_state(0);
    size_ = base::load_state(1);
    find_least();
  }
  SIMT_DEVICE void save_ring() {
    group_.sync();
    base::store_state(0, head_);
    base::store_state(1, size_);
    group_.sync();
  }

  /// Returns the i-th least element; i may be -1.
  SIMT_DEVICE element load_rank(u32 i) const { return base::load_place((head_ + i) & (capacity_ - 1)); }
  SIMT_DEVICE void store_rank(u32 i, element e) { base::store_place((head_ + i) & (capacity_ - 1), e); }
  SIMT_DEVICE void find_least() { least_ = size_ != 0 ? load_rank(0) : none; }
  SIMT_DEVICE void drop(u32 count) {
    head_ = (head_ + count) & (capacity_ - 1);
    size_ -= count;
  }

  u32 head_ = 0;
  element least_ = none;
};

/// Memory: small_ring_shape. @tparam Traits those of all small queues, with a group of one thread; direction, from_back
/// or from_front
template <class Traits, class Counters>
class small_ring : public small_ring_base<small_ring<Traits, Counters>, Traits, Counters> {
  using base = small_ring_base<small_ring<Traits, Counters>, Traits, Counters>;
  using base::size_, base::capacity_, base::head_, base::least_;
  static_assert(base::lanes == 1, "one thread owns such a buffer");

 public:
  using element = typename base::element;
  using group = typename base::group;
  using base::none;

  SIMT_DEVICE small_ring(const small_queue_storage<element>& storage, u32 queue, group owner, void* /*scratch*/,
                         Counters& counters)
      : base(storage, queue, owner, counters) {}

  SIMT_DEVICE void save() { base::save_ring(); }

  SIMT_DEVICE bool insert(element e, bool enabled = true) {
    if (!enabled) return true;
    if (size_ == capacity_) return false;
    u32 place = Traits::direction::is_back ? size_ : 0;
    if constexpr (Traits::direction::is_back) {
      for (; place != 0; --place) {
        const element other = base::load_rank(place - 1);
        base::count_comparisons(1);
        if (!(e < other)) break;
        base::store_rank(place, other);
      }
      base::store_rank(place, e);
    } else {
      for (; place != size_; ++place) {
        const element other = base::load_rank(place);
        base::count_comparisons(1);
        if (!(other < e)) break;
        base::store_rank(place - 1, other);
      }
      base::store_rank(place - 1, e);
      head_ = (head_ - 1) & (capacity_ - 1);
    }
    ++size_;
    if (e < least_) least_ = e;
    return true;
  }

  SIMT_DEVICE element remove_least(bool enabled = true) {
    if (!enabled || size_ == 0) return none;
    const element removed = least_;
    base::drop(1);
    base::find_least();
    return removed;
  }
};

}  // namespace mlmq
