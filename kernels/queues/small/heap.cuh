// SPDX-License-Identifier: Apache-2.0
// Small queue: an implicit heap (the paper's section 3.3 with arity 2), by one thread or by several lanes.
//
// Node j has the children arity · j + 1 …; it lies at place j + arity - 1, so that the children of a node are one
// aligned group: two sectors of 32 bytes for eight children of 8 bytes. Insertion appends and moves the ancestors that
// are larger down. Removal moves the least children up until the last element fits in the hole.
//
// One thread: an insertion reads 1 to 2 ancestors on average, log(n) if the element is the least; a removal reads arity
// children per level, log(n) / log(arity) dependent accesses. Several lanes read the ancestors of an insertion at once
// (one dependent access) and the children of a level at once, and find the least by shuffles. Costs grow with log(n):
// suited to about 100 elements and more, if inserted elements are seldom the least.
#pragma once

#include "queues/small/small_queue.cuh"

namespace mlmq {

/// Memory: small_heap_shape. Between calls, only lane place % min(lanes, arity) accesses a place; insertion, which
/// syncs, is the exception.
/// @tparam Traits those of all small queues; arity, 2, 4 or 8
template <class Traits, class Counters>
class small_heap : public small_queue<small_heap<Traits, Counters>, Traits, Counters> {
  using base = small_queue<small_heap<Traits, Counters>, Traits, Counters>;
  using base::counters_, base::group_, base::size_, base::capacity_, base::lanes;
  using base::load_place, base::store_place, base::count_comparisons;

 public:
  using element = typename base::element;
  using group = typename base::group;
  using base::none;
  static constexpr u32 arity = Traits::arity;
  static_assert(arity >= 2 && (arity & (arity - 1)) == 0 && lanes <= simt::warp_size);

  static constexpr small_queue_shape shape(u32 capacity) { return small_heap_shape(capacity, arity); }

  SIMT_DEVICE small_heap(const small_queue_storage<element>& storage, u32 queue, group owner, void* /*scratch*/,
                         Counters& counters)
      : base(storage, queue, owner, counters) {
    size_ = base::load_state(0);
    if (size_ != 0) root_element_ = load_place(root);
    group_.sync();
  }

  SIMT_DEVICE void save() {
    group_.sync();
    base::store_state(0, size_);
    group_.sync();
  }

  SIMT_DEVICE void clear() {
    size_ = 0;
    root_element_ = none;
  }

  SIMT_DEVICE element least() const { return root_element_; }

  SIMT_DEVICE bool insert(element e, bool enabled = true) {
    const bool fits = size_ < capacity_;
    const bool is_active = enabled && fits;
    u32 hole = root + size_;
    if constexpr (lanes == 1) {
      if (!is_active) return !enabled;
      while (hole != root) {
        const u32 above = parent(hole);
        const element other = load_place(above);
        count_comparisons(1);
        if (!(e < other)) break;
        store_place(hole, other);
        hole = above;
      }
      store_place(hole, e);
    } else {
      group_.sync();
      hole = move_ancestors_down(hole, e, is_active);
      if (is_active && group_.rank() == 0) store_place(hole, e);
      group_.sync();
    }
    if (is_active) {
      ++size_;
      if (hole == root) root_element_ = e;
    }
    return fits || !enabled;
  }

  SIMT_DEVICE element remove_least(bool enabled = true) {
    const bool is_active = enabled && size_ != 0;
    const element removed = is_active ? root_element_ : none;
    if (is_active) --size_;
    // The last element fills the hole; only its owner loads it.
    const u32 end = root + size_;
    element last = none;
    bool active = is_active && size_ != 0;
    if (active && owns(end)) last = load_place(end);
    last = group_.shuffle(last, end % width);
    if (is_active) root_element_ = none;
    const bool fills = active;
    u32 hole = root;
    while (group_.any_in_step(active)) {
      const child smallest = least_child(hole, end, active);
      active = active && smallest.value < last;
      if (active) {
        if (owns(hole)) store_place(hole, smallest.value);
        if (hole == root) root_element_ = smallest.value;
        hole = smallest.place;
      }
    }
    if (fills) {
      if (owns(hole)) store_place(hole, last);
      if (hole == root) root_element_ = last;
    }
    return removed;
  }

 private:
  static constexpr u32 root = arity - 1;
  /// Number of lanes that read children.
  static constexpr u32 width = lanes < arity ? lanes : arity;

  SIMT_DEVICE static u32 parent(u32 place) { return place / arity + arity - 2; }
  SIMT_DEVICE static u32 first_child(u32 place) { return arity * (place - arity + 2); }
  SIMT_DEVICE bool owns(u32 place) const { return group_.rank() == place % width; }

  struct child {
    element value;
    u32 place;
  };
  SIMT_DEVICE child least_child(u32 hole, u32 end, bool active) {
    const u32 first = first_child(hole);
    constexpr u32 count = (arity + lanes - 1) / lanes;
    // All loads come before the first comparison, so that they are in flight together.
    element others[count];
#pragma unroll
    for (u32 i = 0; i < count; ++i) {
      const u32 place = first + group_.rank() + i * lanes;
      const bool is_child = active && group_.rank() + i * lanes < arity && place < end;
      others[i] = is_child ? load_place(place) : none;
    }
    child candidate = {none, 0};
#pragma unroll
    for (u32 i = 0; i < count; ++i) {
      count_comparisons(others[i] != none ? 1 : 0);
      if (others[i] < candidate.value) candidate = {others[i], first + group_.rank() + i * lanes};
    }
    if constexpr (lanes > 1) {
      const element value = group_.least(candidate.value);
      const u32 owner = simt::first_set(group_.ballot(candidate.value == value));
      candidate.place = lanes >= arity ? first + owner : group_.shuffle(candidate.place, owner);
      candidate.value = value;
    }
    return candidate;
  }

  /// With several lanes: rank r checks the ancestor r + 1 levels above. @return the place for e
  SIMT_DEVICE u32 move_ancestors_down(u32 hole, element e, bool active) {
    active = active && hole != root;
    while (group_.any_in_step(active)) {
      u32 below = hole;
      for (u32 i = 0; i < group_.rank() && below != root; ++i) below = parent(below);
      const bool has_ancestor = active && below != root;
      const u32 above = has_ancestor ? parent(below) : root;
      element other = none;
      if (has_ancestor) {
        other = load_place(above);
        count_comparisons(1);
      }
      const bool moves = has_ancestor && e < other;
      const u32 count = simt::popcount(group_.ballot(moves));
      group_.sync();
      if (moves) store_place(below, other);
      const u32 end_of_run = group_.shuffle(below, count < lanes ? count : 0);
      const u32 end_of_all = group_.shuffle(above, lanes - 1);
      if (active) hole = count < lanes ? end_of_run : end_of_all;
      active = active && count == lanes && hole != root;
    }
    return hole;
  }

  element root_element_ = none;
};

}  // namespace mlmq
