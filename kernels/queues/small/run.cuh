// SPDX-License-Identifier: Apache-2.0
// The first level of a queue of two levels: a few sorted elements. A run has
//
//   capacity                    a constant
//   insert(e, enabled)          returns the largest of its elements and e when it was full, else none
//   first()                     the least, none when it is empty
//   remove_first(enabled)
//   clear()
//   scratch_elements            elements of shared memory per group
//   removes_many                whether it has remove_first_many(count, to): the i-th least goes to rank to + i
//
// `none` stands for an element that does not exist, and is larger than all elements.
#pragma once

#include "queues/small/group.cuh"
#include "queues/small/storage.cuh"

namespace mlmq {

/// A run in registers of one thread; every operation passes all of them, without branches. @tparam Traits with element
/// and run, 2 to 32
template <class Traits>
class run_in_registers {
  using element = typename Traits::element;
  static constexpr element none = no_element<element>;

 public:
  static constexpr u32 capacity = Traits::run;
  static constexpr u32 scratch_elements = 0;
  static constexpr bool removes_many = false;
  static_assert(Traits::group::size == 1, "one thread owns such a run");

  SIMT_DEVICE run_in_registers(typename Traits::group, element* /*scratch*/) { clear(); }
  SIMT_DEVICE void clear() {
#pragma unroll
    for (u32 i = 0; i < capacity; ++i) items_[i] = none;
  }
  SIMT_DEVICE element first() const { return items_[0]; }
  SIMT_DEVICE element last() const { return items_[capacity - 1]; }
  SIMT_DEVICE element insert(element e, bool enabled) {
    if (!enabled) return none;
#pragma unroll
    for (u32 i = 0; i < capacity; ++i) {
      const element low = e < items_[i] ? e : items_[i];
      e = e < items_[i] ? items_[i] : e;
      items_[i] = low;
    }
    return e;
  }
  SIMT_DEVICE void remove_first(bool enabled) {
    if (!enabled) return;
#pragma unroll
    for (u32 i = 0; i + 1 < capacity; ++i) items_[i] = items_[i + 1];
    items_[capacity - 1] = none;
  }

 private:
  element items_[capacity];
};

/// A run in shared memory, of one thread: a circular buffer with insertion from the back. The buffers of a block's
/// threads are interleaved, so that equal places are in different banks. @tparam Traits like run_in_registers; run, a
/// power of two
template <class Traits>
class run_in_shared {
  using element = typename Traits::element;
  static constexpr element none = no_element<element>;

 public:
  static constexpr u32 capacity = Traits::run;
  static constexpr u32 scratch_elements = capacity;
  static constexpr bool removes_many = false;
  static_assert(Traits::group::size == 1, "one thread owns such a run");
  static_assert((capacity & (capacity - 1)) == 0, "a run in shared memory has a power of two of places");

  SIMT_DEVICE run_in_shared(typename Traits::group, element* scratch) : items_(scratch + simt::thread_in_block()) {}
  SIMT_DEVICE void clear() { size_ = 0, first_ = last_ = none; }
  SIMT_DEVICE element first() const { return first_; }
  /// Returns the last element of a full run, otherwise `none`.
  SIMT_DEVICE element last() const { return size_ == capacity ? last_ : none; }
  SIMT_DEVICE element insert(element e, bool enabled) {
    if (!enabled) return none;
    element out = none;
    if (size_ == capacity) {
      if (!(e < last_)) return e;
      out = last_;
      --size_;
    }
    u32 place = size_;
    for (; place != 0; --place) {
      const element other = load(place - 1);
      if (!(e < other)) break;
      store(place, other);
    }
    store(place, e);
    ++size_;
    if (place == 0) first_ = e;
    last_ = load(size_ - 1);
    return out;
  }
  SIMT_DEVICE void remove_first(bool enabled) {
    if (!enabled || size_ == 0) return;
    head_ = (head_ + 1) % capacity;
    --size_;
    first_ = size_ != 0 ? load(0) : none;
    if (size_ == 0) last_ = none;
  }

 private:
  SIMT_DEVICE element* item_at(u32 place) const { return items_ + (head_ + place) % capacity * simt::block_threads(); }
  SIMT_DEVICE element load(u32 place) const { return simt::load(item_at(place)); }
  SIMT_DEVICE void store(u32 place, element e) { simt::store(item_at(place), e); }

  element* items_;
  element first_ = none;
  element last_ = none;
  u32 head_ = 0;
  u32 size_ = 0;
};

/// A run with one element in each lane of the group: insertion and removal are one or two shuffles, whatever the
/// length.
template <class Traits>
class run_of_lanes {
  using element = typename Traits::element;
  using group = typename Traits::group;
  static constexpr element none = no_element<element>;

 public:
  static constexpr u32 capacity = group::size;
  static constexpr u32 scratch_elements = 0;
  static constexpr bool removes_many = true;

  SIMT_DEVICE run_of_lanes(group owner, element* /*scratch*/) : group_(owner) {}
  SIMT_DEVICE void clear() { item_ = none; }
  SIMT_DEVICE element first() const { return group_.shuffle(item_, 0); }
  SIMT_DEVICE element last() const { return group_.shuffle(item_, capacity - 1); }
  /// Inserts e, which is equal in all lanes.
  SIMT_DEVICE element insert(element e, bool enabled) {
    const u32 rank = group_.rank();
    const element before = group_.shuffle(item_, rank != 0 ? rank - 1 : 0);
    const element last = group_.shuffle(item_, capacity - 1);
    if (!enabled) return none;
    const element out = e < last ? last : e;
    if (e < item_) item_ = rank == 0 || !(e < before) ? e : before;
    return out;
  }
  SIMT_DEVICE void remove_first(bool enabled) { shift(enabled ? 1 : 0); }
  SIMT_DEVICE element remove_first_many(u32 count, u32 first_rank) {
    const element first_item = group_.shuffle(item_, (group_.rank() - first_rank) % capacity);
    shift(count);
    return first_item;
  }
  /// Makes the lanes' elements the run: sorts them by a bitonic network in groups with `enabled`.
  SIMT_DEVICE void sort_in(element e, bool enabled) {
    const u32 rank = group_.rank();
    for (u32 length = 2; length <= capacity; length *= 2) {
      for (u32 distance = length / 2; distance != 0; distance /= 2) {
        const element other = group_.shuffle(e, rank ^ distance);
        const bool keeps_less = ((rank & distance) == 0) == ((rank & length) == 0);
        if ((other < e) == keeps_less) e = other;
      }
    }
    if (enabled) item_ = e;
  }

 private:
  SIMT_DEVICE void shift(u32 count) {
    const u32 source_rank = group_.rank() + count;
    const element other = group_.shuffle(item_, source_rank % capacity);
    item_ = source_rank < capacity ? other : none;
  }

  group group_;
  element item_ = none;
};

/// The run of a thread is selected by MLMQ_SMALL_RUN_MEMORY; that of a group is in its lanes.
template <class Traits, template <class> class OfThread, u32 lanes>
struct run_for_lanes {
  using type = run_of_lanes<Traits>;
};
template <class Traits, template <class> class OfThread>
struct run_for_lanes<Traits, OfThread, 1> {
  using type = OfThread<Traits>;
};

}  // namespace mlmq
