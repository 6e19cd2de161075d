// SPDX-License-Identifier: Apache-2.0
// One priority queue for all instances: a parallel heap (Deo, Prasad 1992; the paper's section 3.5), by a block or the
// grid.
//
// A binary heap whose nodes are sorted arrays of the same length; no element of a node is above any element below the
// node. A step takes up to a node of new elements and removes up to a node of the least elements. The new elements are
// sorted and merged with the root; the least ones are removed, the next ones fill the root, and the rest goes down the
// path to the last node. Then the root sinks: of two children, the one with the larger last element keeps the larger
// half of both; the other one is merged with its parent and is the next to sink. If as many elements are removed as a
// node has, this is the paper's bulk mode.
//
// A merge finds the place of each element by binary search in the other array: all elements at once, log(node)
// dependent loads and two barriers. A step takes about log(node)² / 2 barriers for sorting and up to 6 per level. It is
// efficient only with large nodes. It is here for comparison with the paper; few instances can use all elements that it
// removes.
#pragma once

#include "queues/small/counters.cuh"
#include "queues/small/parallel_heap_storage.cuh"
#include "queues/small/storage.cuh"
#include "queues/small/team.cuh"

namespace mlmq {

/// All functions are collectives of the team. @tparam Element u32 or u64, least word first, never all ones
/// @tparam Team block_team or grid_team
template <class Element, class Team, class Counters>
class parallel_heap {
 public:
  using element = Element;
  static constexpr element none = no_element<element>;

  SIMT_DEVICE parallel_heap(const parallel_heap_storage<element>& storage, Team& team, Counters& counters)
      : storage_(storage), team_(team), counters_(counters), node_(storage.node) {}

  /// Returns the input of the next step: `node` elements, no_element where there is none.
  SIMT_DEVICE element* input() const { return storage_.work; }
  /// Returns the elements that the last step removed, in order and then none: `node` of them, valid until the next
  /// step.
  SIMT_DEVICE const element* removed() const { return storage_.work + 4 * node_; }
  /// Returns the number of elements after the last step, once the team has synced.
  SIMT_DEVICE u64 size() const { return simt::load(&storage_.state->size); }

  /// Inserts the elements of input(), then removes the least `count` (at most `node`) elements. All threads of the team
  /// must have written input() before; they may read removed() afterwards.
  /// @return false if it is full, or the run is over; the heap must not be used after that
  SIMT_DEVICE bool step(u32 count) {
    if (!team_.sync()) return false;
    nodes_ = simt::load(&storage_.state->nodes_below_root) + 1;
    const u64 before = size();
    if (!sort_input() || !merge(node_at(0), input())) return false;
    element* const leaves = storage_.work + 4 * node_;
    for (u32 i = team_.rank(); i < node_; i += team_.size()) {
      put(leaves + i, i < count ? merged_at(i) : none);
      put(node_at(0) + i, merged_at(count + i));
      put(carried() + i, merged_at(count + node_ + i));
    }
    if (!team_.sync() || !fill_root() || !sink()) return false;
    if (simt::load(carried()) != none && !carry_down()) return false;
    while (nodes_ > 1 && simt::load(node_at(nodes_ - 1)) == none) --nodes_;
    if (team_.rank() == 0) {
      const u64 total = before + rank_in(input(), none, false);
      simt::store(&storage_.state->size, total - (total < count ? total : count));
      simt::store(&storage_.state->nodes_below_root, nodes_ - 1);
    }
    return team_.sync();
  }

 private:
  SIMT_DEVICE element* node_at(u32 number) const { return storage_.nodes + static_cast<u64>(number) * node_; }
  SIMT_DEVICE element* merged() const { return storage_.work + node_; }
  SIMT_DEVICE element* carried() const { return storage_.work + 3 * node_; }
  SIMT_DEVICE element merged_at(u32 i) const { return i < 2 * node_ ? simt::load(merged() + i) : none; }
  SIMT_DEVICE element last_of(u32 number) const { return simt::load(node_at(number) + node_ - 1); }
  SIMT_DEVICE void put(element* destination, element e) {
    counters_.add(small_queue_counter::moves, 1);
    simt::store(destination, e);
  }

  /// Returns how many elements of a sorted node come before e, including equal ones if `equal`.
  SIMT_DEVICE u32 rank_in(const element* sorted, element e, bool equal) {
    u32 first = 0;
    for (u32 remaining = node_; remaining != 0;) {
      const u32 half = remaining / 2;
      const element other = simt::load(sorted + first + half);
      counters_.add(small_queue_counter::comparisons, 1);
      if (other < e || (equal && other == e)) {
        first += half + 1;
        remaining -= half + 1;
      } else {
        remaining = half;
      }
    }
    return first;
  }

  /// Sorts by a bitonic network; the team syncs between its stages.
  SIMT_DEVICE bool sort_input() {
    for (u32 run = 2; run <= node_; run *= 2) {
      for (u32 distance = run / 2; distance != 0; distance /= 2) {
        for (u32 pair = team_.rank(); pair < node_ / 2; pair += team_.size()) {
          const u32 low = pair / distance * 2 * distance + pair % distance;
          const element first = simt::load(input() + low);
          const element second = simt::load(input() + low + distance);
          counters_.add(small_queue_counter::comparisons, 1);
          if ((second < first) != ((low & run) == 0) || first == second) continue;
          put(input() + low, second);
          put(input() + low + distance, first);
        }
        if (!team_.sync()) return false;
      }
    }
    return true;
  }

  /// Merges two sorted nodes into merged().
  SIMT_DEVICE bool merge(const element* first, const element* second) {
    for (u32 i = team_.rank(); i < node_; i += team_.size()) {
      const element e = simt::load(first + i);
      put(merged() + i + rank_in(second, e, false), e);
      const element f = simt::load(second + i);
      put(merged() + i + rank_in(first, f, true), f);
    }
    return team_.sync();
  }
  /// Puts the lesser half of two sorted nodes into `low`, the other half into `high`.
  SIMT_DEVICE bool split(const element* first, const element* second, element* low, element* high) {
    if (!merge(first, second)) return false;
    for (u32 i = team_.rank(); i < node_; i += team_.size()) {
      put(low + i, merged_at(i));
      put(high + i, merged_at(node_ + i));
    }
    return team_.sync();
  }

  /// Fills the root from the last nodes if more elements were removed than inserted.
  SIMT_DEVICE bool fill_root() {
    while (nodes_ > 1 && last_of(0) == none) {
      element* const last = node_at(nodes_ - 1);
      if (!split(node_at(0), last, node_at(0), last)) return false;
      if (simt::load(last) == none) --nodes_;
    }
    return true;
  }

  /// Restores the order between the root and the nodes below it.
  SIMT_DEVICE bool sink() {
    u32 parent = 0;
    for (u32 left_child = 1; left_child < nodes_; left_child = 2 * parent + 1) {
      const u32 right_child = left_child + 1;
      u32 next = left_child;
      const element bound = last_of(parent);
      if (right_child < nodes_) {
        if (!(simt::load(node_at(left_child)) < bound) && !(simt::load(node_at(right_child)) < bound)) break;
        next = last_of(left_child) < last_of(right_child) ? left_child : right_child;
        const u32 other = next == left_child ? right_child : left_child;
        if (!split(node_at(left_child), node_at(right_child), node_at(next), node_at(other))) return false;
      } else if (!(simt::load(node_at(left_child)) < bound)) {
        break;
      }
      if (!split(node_at(parent), node_at(next), node_at(parent), node_at(next))) return false;
      parent = next;
    }
    return true;
  }

  /// Moves the carried elements below the root: into the last node while it has room, then into a new one.
  SIMT_DEVICE bool carry_down() {
    if (nodes_ > 1 && last_of(nodes_ - 1) == none) {
      if (!pass_down_to(nodes_ - 1) || !split(node_at(nodes_ - 1), carried(), node_at(nodes_ - 1), carried()))
        return false;
      if (simt::load(carried()) == none) return true;
    }
    if (nodes_ == storage_.capacity_nodes || !pass_down_to(nodes_)) return false;
    for (u32 i = team_.rank(); i < node_; i += team_.size()) put(node_at(nodes_) + i, simt::load(carried() + i));
    ++nodes_;
    return team_.sync();
  }
  /// Leaves the least elements with each node between the root and node `number`.
  SIMT_DEVICE bool pass_down_to(u32 number) {
    u32 levels = 0;
    while ((number + 1) >> (levels + 1) > 1) ++levels;
    for (; levels != 0; --levels) {
      element* const on_path = node_at(((number + 1) >> levels) - 1);
      if (!split(on_path, carried(), on_path, carried())) return false;
    }
    return true;
  }

  const parallel_heap_storage<element>& storage_;
  Team& team_;
  Counters& counters_;
  u32 node_;
  u32 nodes_ = 1;
};

}  // namespace mlmq
