// SPDX-License-Identifier: Apache-2.0
// The second level of a queue of two levels: all elements that are not in the run. A second level has
//
//   shape(capacity) state_words first_free_place(capacity)   places from there on belong to the run
//   size() clear() save()
//   insert(e, enabled)   the same e in all lanes
//   append(e, has)       the elements of some lanes; returns how many; of groups of several lanes
//   fill(run, enabled)   moves the least elements into the run, which is empty, from the second level, which is not;
//                        returns how many
//   bound()              after fill(): no element left is below it
#pragma once

#include "queues/small/heap.cuh"
#include "queues/small/run.cuh"

namespace mlmq {

/// An unsorted array. Filling takes the last elements into the run and passes all others once: an element that is less
/// than the run's last is swapped with it.
template <class Traits, class Counters>
class second_pile : private small_queue<second_pile<Traits, Counters>, Traits, Counters> {
  using base = small_queue<second_pile<Traits, Counters>, Traits, Counters>;
  using base::group_, base::size_, base::lanes;
  using element = typename base::element;
  using group = typename base::group;
  using base::none;

 public:
  static constexpr u32 state_words = 1;
  static constexpr small_queue_shape shape(u32 capacity) { return small_pile_shape(capacity); }
  SIMT_DEVICE static u32 first_free_place(u32 capacity) { return whole_warps(capacity); }

  SIMT_DEVICE second_pile(const small_queue_storage<element>& storage, u32 queue, group owner, Counters& counters)
      : base(storage, queue, owner, counters) {
    size_ = base::load_state(0);
  }
  using base::size;
  SIMT_DEVICE void save() {
    group_.sync();
    base::store_state(0, size_);
    group_.sync();
  }
  SIMT_DEVICE void clear() { size_ = 0; }
  SIMT_DEVICE element bound() const { return bound_; }

  SIMT_DEVICE void insert(element e, bool enabled) {
    // The lane that stores an element is the one that will load it.
    if (!enabled) return;
    if (group_.rank() == size_ % lanes) base::store_place(size_, e);
    ++size_;
  }

  SIMT_DEVICE u32 append(element e, bool has_element) {
    const u32 writers = group_.ballot(has_element);
    const u32 before = simt::popcount(writers & ((1u << group_.rank()) - 1));
    // Here a lane stores elements that another lane loads.
    group_.sync();
    if (has_element) base::store_place(size_ + before, e);
    group_.sync();
    size_ += simt::popcount(writers);
    return simt::popcount(writers);
  }

  template <class Run>
  SIMT_DEVICE u32 fill(Run& run, bool enabled) {
    const u32 in_pile = enabled ? size_ : 0;
    const u32 moved = in_pile < Run::capacity ? in_pile : Run::capacity;
    const u32 remaining = in_pile - moved;
    if constexpr (lanes == 1) {
      for (u32 i = remaining; i < in_pile; ++i) run.insert(base::load_place(i), true);
    } else {
      static_assert(Run::capacity == lanes);
      // The lane that owns a place, place % lanes, loads it.
      const u32 place = remaining + (group_.rank() - remaining) % lanes;
      run.sort_in(place < in_pile ? base::load_place(place) : none, enabled);
    }
    element last = run.last();
    for (u32 first = 0; group_.any_in_step(first < remaining); first += loads_at_once * lanes) {
      element items[loads_at_once];
#pragma unroll
      for (u32 i = 0; i < loads_at_once; ++i) {
        const u32 place = first + i * lanes + group_.rank();
        items[i] = place < remaining ? base::load_place(place) : none;
      }
#pragma unroll
      for (u32 i = 0; i < loads_at_once; ++i) exchange(run, last, items[i], first + i * lanes + group_.rank());
    }
    if (enabled) {
      size_ = remaining;
      bound_ = last;
    }
    return moved;
  }

 private:
  /// Number of loads per lane that are in flight together.
  static constexpr u32 loads_at_once = 4;

  /// Merges the elements of one step of the pass, one per lane, into the run; `none` is never less than the run's last.
  template <class Run>
  SIMT_DEVICE void exchange(Run& run, element& last, element item, u32 place) {
    base::count_comparisons(item != none ? 1 : 0);
    if constexpr (lanes == 1) {
      if (!(item < last)) return;
      base::store_place(place, run.insert(item, true));
      last = run.last();
    } else {
      element carried = item;
      u32 lower = group_.ballot(carried < last);
      while (group_.any_in_step(lower != 0)) {
        const u32 owner = lower != 0 ? simt::first_set(lower) : 0;
        const element out = run.insert(group_.shuffle(carried, owner), lower != 0);
        if (lower != 0 && group_.rank() == owner) carried = out;
        last = run.last();
        // The removed elements are above all elements of the run.
        lower = group_.ballot(carried < last);
      }
      if (carried != item) base::store_place(place, carried);
    }
  }

  element bound_ = none;
};

/// An implicit heap of arity Traits::second_arity. Filling removes half a run from it, in order.
template <class Traits, class Counters>
class second_heap {
  using element = typename Traits::element;
  using group = typename Traits::group;
  struct heap_traits : Traits {
    static constexpr u32 arity = Traits::second_arity;
  };
  using heap = small_heap<heap_traits, Counters>;

 public:
  static constexpr u32 state_words = 1;
  static constexpr small_queue_shape shape(u32 capacity) { return heap::shape(capacity); }
  SIMT_DEVICE static u32 first_free_place(u32 capacity) { return shape(capacity).places; }

  SIMT_DEVICE second_heap(const small_queue_storage<element>& storage, u32 queue, group owner, Counters& counters)
      : group_(owner), heap_(storage, queue, owner, nullptr, counters) {}
  SIMT_DEVICE u32 size() const { return heap_.size(); }
  SIMT_DEVICE void save() { heap_.save(); }
  SIMT_DEVICE void clear() { heap_.clear(); }
  SIMT_DEVICE element bound() const { return heap_.least(); }

  SIMT_DEVICE void insert(element e, bool enabled) {
    if (group_.any_in_step(enabled)) heap_.insert(e, enabled);
  }

  SIMT_DEVICE u32 append(element e, bool has_element) {
    const u32 writers = group_.ballot(has_element);
    heap_.insert_many(e, has_element);
    return simt::popcount(writers);
  }

  template <class Run>
  SIMT_DEVICE u32 fill(Run& run, bool enabled) {
    constexpr u32 half = (Run::capacity + 1) / 2;
    const u32 in_heap = enabled ? heap_.size() : 0;
    const u32 moved = in_heap < half ? in_heap : half;
    for (u32 i = 0; group_.any_in_step(i < moved); ++i) {
      const bool has_element = i < moved;
      run.insert(heap_.remove_least(has_element), has_element);
    }
    return moved;
  }

 private:
  group group_;
  heap heap_;
};

}  // namespace mlmq
