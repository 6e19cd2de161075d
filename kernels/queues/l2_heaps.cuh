// SPDX-License-Identifier: Apache-2.0
// Common part of the priority queues: binary heaps of batches in global memory, with one warp at a time operating on a
// node (after BGPQ's batch nodes; MLMQ, section 4.2).
//
// A node holds 0 … 32 sorted elements, none of them larger than any element below the node, and has its own lock. Every
// operation goes from the root down and locks a child before it unlocks the parent, so operations never overtake each
// other. Insertion merges a batch with each node on its way: the node keeps the smallest elements, none above what it
// held before, and the rest continues down a random path to the first node that has room and an empty subtree. Removal
// takes the batch of the root. This leaves a hole that sinks: it is filled with the elements of its children up to the
// smaller of their maxima, the remaining elements of both stay in the child with the larger maximum, and the other
// child becomes the new hole. An empty node has an empty subtree, so the heap needs no last leaf, and two operations
// never meet from opposite directions.
//
// Access: the elements of a node are plain words that are read and written only under its lock. Its count is written
// under the lock, but dispatchers read the root's count without it. Locks are taken with acquire and released with
// release order. Locks and counts are stored inverted: memory of all ones is an empty heap.
#pragma once

#include "queues/l2_access.cuh"
#include "queues/warp_sort.cuh"

namespace mlmq {

template <class Element, class Storage, class Counters>
class l2_heaps : public l2_access<Storage, Counters> {
 public:
  using element = Element;

 private:
  static constexpr element empty = empty_slot_of<element>;
  static constexpr u32 root = 1;
  static constexpr u32 free_lock = 0xFFFFFFFFu;
  /// Number of random paths to try: if all of them end at a full leaf, searching further for room is not worthwhile.
  static constexpr u32 max_attempts = 64;

 public:
  using l2_access<Storage, Counters>::l2_access;

  /// Warp collective: inserts the element of every lane with `valid`, at least one, into `heap` of `heaps`.
  SIMT_DEVICE void insert(u32 heap, u32 heaps, element e, bool valid) {
    // Elements written after the end are not needed, and going to the root would delay the exit.
    if (this->run_ended_for_warp()) return;
    u32 count = simt::popcount(simt::ballot(valid));
    if (simt::lane() == 0) {
      simt::atomic_add<simt::order::relaxed, simt::scope::device>(this->written(heap), count);
      this->counters_.add(queue_counter::atomics, 1);
    }
    if (valid) this->counters_.add(queue_counter::l2_writes, 1);
    // Orders the count before the elements that all lanes write.
    simt::sync_warp();
    element carried = sort_lanes(valid ? e : empty);
    for (u32 attempt = 0; attempt < max_attempts; ++attempt) {
      if (insert_along(heap, heaps, path(attempt, carried), carried, count)) return;
      if (this->run_ended_for_warp()) return;
    }
    if (simt::lane() == 0) this->declare_full();
  }

  /// Warp collective of the dispatcher: removes the root's batch of `subqueue`.
  SIMT_DEVICE l2_batch<element> remove(u32 heap, u32 heaps) {
    // Some elements may be counted but not inserted yet. Dispatchers that repeatedly lock an empty root would keep the
    // writers from it.
    const bool is_empty = simt::all(load_count(heap, heaps, root) == 0);
    if (is_empty || !lock(heap, heaps, root)) return {heap, 0, 0, empty};
    const u32 count = load_count(heap, heaps, root);
    if (count == 0) {
      unlock(heap, heaps, root);
      return {heap, 0, 0, empty};
    }
    const element own_element = load_element(heap, root, count);
    SIMT_ASSERT(is_sorted(own_element, count, 0) && is_counted(heap, count));
    if (simt::lane() == 0) {
      simt::atomic_add<simt::order::relaxed, simt::scope::device>(this->taken(heap), count);
      this->counters_.add(queue_counter::atomics, 1);
    }
    if (simt::lane() < count) this->counters_.add(queue_counter::l2_reads, 1);
    sink_hole(heap, heaps);
    return {heap, 0, count, own_element};
  }

  /// Copies a worker's share of the batch, elements `begin` … `begin + share - 1`, to the memory from which it reads.
  /// @param begin, share of the worker that this lane stands for; share 0: none
  /// @param destination 32 words of shared memory of that worker
  SIMT_DEVICE void deliver(const l2_batch<element>& batch, u32 begin, u32 share, u32 most, element* destination) {
    for (u32 i = 0; i < most; ++i) {
      const element e = simt::shuffle(batch.own_element, (begin + i) % simt::warp_size);
      if (i < share) simt::store_atomic<simt::order::relaxed, simt::scope::block>(destination + i, e);
    }
  }

  /// Warp collective of a worker: loads the elements that were delivered with its assignment.
  SIMT_DEVICE bool take(u64 mail, const element* delivered, element& e) {
    const bool valid = simt::lane() < mailbox::count(mail);
    if (valid) e = simt::load_atomic<simt::order::relaxed, simt::scope::block>(delivered + simt::lane());
    return valid;
  }

 private:
  SIMT_DEVICE u32 node_count() const { return (this->storage_.capacity_mask + 1) / simt::warp_size; }

  SIMT_DEVICE element* elements(u32 heap, u32 node) const {
    return this->storage_.slots + static_cast<u64>(heap) * (this->storage_.capacity_mask + 1ull) +
           static_cast<u64>(node) * simt::warp_size;
  }
  /// Returns the two words of a node, behind all elements: lock and inverted count.
  SIMT_DEVICE u32* header(u32 heap, u32 heaps, u32 node) const {
    element* const headers = this->storage_.slots + static_cast<u64>(heaps) * (this->storage_.capacity_mask + 1ull);
    return reinterpret_cast<u32*>(reinterpret_cast<u64*>(headers) + static_cast<u64>(heap) * node_count() + node);
  }

  /// @return false when the run ended while waiting
  SIMT_DEVICE bool lock(u32 heap, u32 heaps, u32 node) {
    bool locked = true;
    if (simt::lane() == 0) {
      u32* const word = header(heap, heaps, node);
      // Use waiting times that grow and differ between warps: with equal times, the same warps might win every time.
      u32 pause = 20 + (simt::block_index() * 37 + simt::warp_in_block() * 11) % 32;
      while (simt::atomic_compare_exchange<simt::order::acquire, simt::scope::device>(word, free_lock, 0u) !=
             free_lock) {
        this->counters_.add(queue_counter::atomics, 1);
        // Only the dispatcher updates the block's copy of the status, and the dispatcher may be the warp that waits
        // here.
        if (this->run_ended() || this->grid_ended()) {
          locked = false;
          break;
        }
        simt::backoff(pause);
        if (pause < 500) pause += pause / 2;
      }
      this->counters_.add(queue_counter::atomics, 1);
    }
    // Orders the other lanes' accesses to the node after the lock.
    locked = simt::all(locked);
    simt::sync_warp();
    return locked;
  }
  SIMT_DEVICE void unlock(u32 heap, u32 heaps, u32 node) {
    simt::sync_warp();
    if (simt::lane() == 0) {
      simt::store_atomic<simt::order::release, simt::scope::device>(header(heap, heaps, node), free_lock);
    }
  }

  SIMT_DEVICE u32 load_count(u32 heap, u32 heaps, u32 node) const {
    return ~simt::load_atomic<simt::order::relaxed, simt::scope::device>(header(heap, heaps, node) + 1);
  }
  SIMT_DEVICE element load_element(u32 heap, u32 node, u32 count) const {
    return simt::lane() < count ? simt::load(elements(heap, node) + simt::lane()) : empty;
  }
  SIMT_DEVICE void store_node(u32 heap, u32 heaps, u32 node, element e, u32 count) {
    simt::sync_warp();
    if (simt::lane() < count) simt::store(elements(heap, node) + simt::lane(), e);
    if (simt::lane() == 0) {
      simt::store_atomic<simt::order::relaxed, simt::scope::device>(header(heap, heaps, node) + 1, ~count);
    }
  }

  // For assertions: warp collectives, under the locks of the nodes.

  /// Returns whether the elements of the first `count` lanes ascend and none is below `least`.
  SIMT_DEVICE static bool is_sorted(element e, u32 count, element least) {
    const element before = simt::shuffle(e, (simt::lane() + simt::warp_size - 1) % simt::warp_size);
    return simt::all(simt::lane() >= count || e >= (simt::lane() == 0 ? least : before));
  }
  /// Returns whether the elements to be taken have been counted as written. The root is locked.
  SIMT_DEVICE bool is_counted(u32 heap, u32 count) const {
    const u32 written = simt::load_atomic<simt::order::relaxed, simt::scope::device>(this->written(heap));
    const u32 taken = simt::load_atomic<simt::order::relaxed, simt::scope::device>(this->taken(heap));
    return simt::all(written - taken - count < 1u << 31);
  }
  /// Returns whether the node's elements ascend and none is below any of its parent's. An empty parent must have an
  /// empty child.
  SIMT_DEVICE bool is_in_order(u32 heap, u32 heaps, u32 node, u32 parent) const {
    const u32 above = load_count(heap, heaps, parent);
    const u32 count = load_count(heap, heaps, node);
    if (above == 0) return count == 0;
    const element least = simt::shuffle(load_element(heap, parent, above), above - 1);
    return is_sorted(load_element(heap, node, count), count, least);
  }

  /// Returns bits that choose a path: equal on all lanes, different between warps, elements and attempts.
  SIMT_DEVICE u32 path(u32 attempt, element carried) const {
    u32 bits = static_cast<u32>(simt::shuffle(carried, 0)) * 0x9E3779B9u + attempt * 0x85EBCA6Bu +
               simt::block_index() * 0xC2B2AE35u + simt::warp_in_block();
    bits ^= bits >> 15;
    bits *= 0x2C1B3C6Du;
    return bits ^ bits >> 13;
  }

  /// Splits two merged sequences: `low` keeps its first `keep` elements; the elements after them become `high`.
  SIMT_DEVICE static void shift_rest(element low, element& high, u32 keep) {
    const u32 place = keep + simt::lane();
    const element from_low = simt::shuffle(low, place % simt::warp_size);
    const element from_high = simt::shuffle(high, place % simt::warp_size);
    high = place < simt::warp_size ? from_low : from_high;
  }

  /// Returns whether the node has no elements below it. The node must be locked: no element can then reach an empty
  /// child, and a warp that is passing through holds the child's lock.
  SIMT_DEVICE bool has_empty_children(u32 heap, u32 heaps, u32 node) {
    for (u32 child = 2 * node; child < 2 * node + 2; ++child) {
      if (child >= node_count()) return true;
      if (!lock(heap, heaps, child)) return false;
      const u32 count = load_count(heap, heaps, child);
      unlock(heap, heaps, child);
      if (count != 0) return false;
    }
    return true;
  }

  /// @return false when a batch is still carried at the end of the path, or the run has ended
  SIMT_DEVICE bool insert_along(u32 heap, u32 heaps, u32 turns, element& carried, u32& count) {
    u32 node = root;
    if (!lock(heap, heaps, node)) return false;
    for (;;) {
      const u32 held = load_count(heap, heaps, node);
      element node_element = load_element(heap, node, held);
      // Elements below the node are only known not to be less than its maximum, so only a node with nothing below it
      // may keep larger elements.
      const element maximum = held == 0 ? 0 : simt::shuffle(node_element, held - 1);
      const bool is_last = held == 0 || (held < simt::warp_size && has_empty_children(heap, heaps, node));
      const u32 total = held + count;
      merge_lanes(node_element, carried);
      u32 keep = simt::popcount(simt::ballot(node_element <= maximum));
      if (is_last) keep = total < simt::warp_size ? total : simt::warp_size;
      shift_rest(node_element, carried, keep);
      count = total - keep;
      store_node(heap, heaps, node, node_element, keep);
      const u32 child = 2 * node + (turns & 1);
      turns = turns >> 1 | turns << 31;
      const bool descends = count != 0 && child < node_count();
      const bool locked = !descends || lock(heap, heaps, child);
      SIMT_ASSERT(!descends || !locked || is_in_order(heap, heaps, child, node));
      unlock(heap, heaps, node);
      if (!descends) return count == 0;
      if (!locked) return false;
      node = child;
    }
  }

  /// Fills the hole that a removal leaves. The root must be locked and its batch taken; at the end all locks are free.
  SIMT_DEVICE void sink_hole(u32 heap, u32 heaps) {
    u32 hole = root;
    for (;;) {
      const u32 left_child = 2 * hole;
      const u32 right_child = left_child + 1;
      if (right_child >= node_count()) break;
      if (!lock(heap, heaps, left_child)) break;
      if (!lock(heap, heaps, right_child)) {
        unlock(heap, heaps, left_child);
        break;
      }
      // The hole's memory still holds the former elements of the node.
      SIMT_ASSERT(is_in_order(heap, heaps, left_child, hole) && is_in_order(heap, heaps, right_child, hole));
      const u32 left_count = load_count(heap, heaps, left_child);
      const u32 right_count = load_count(heap, heaps, right_child);
      const u32 total = left_count + right_count;
      if (total == 0) {
        unlock(heap, heaps, right_child);
        unlock(heap, heaps, left_child);
        break;
      }
      element low = load_element(heap, left_child, left_count);
      element high = load_element(heap, right_child, right_count);
      const element left_most = left_count == 0 ? 0 : simt::shuffle(low, left_count - 1);
      const element right_most = right_count == 0 ? 0 : simt::shuffle(high, right_count - 1);
      const bool left_stays = left_count != 0 && (right_count == 0 || left_most > right_most);
      const u32 stays = left_stays ? left_child : right_child;
      const u32 sinks = left_stays ? right_child : left_child;
      merge_lanes(low, high);
      if (left_count == 0 || right_count == 0) {
        // The child that is not empty moves up as a whole.
        store_node(heap, heaps, hole, low, total);
        unlock(heap, heaps, sinks);
        unlock(heap, heaps, hole);
        hole = stays;
        continue;
      }
      // The hole takes the elements up to the smaller maximum, which both subtrees allow. The child that stays keeps at
      // least its maximum.
      const element smaller_maximum = left_stays ? right_most : left_most;
      const u32 allowed = simt::popcount(simt::ballot(low <= smaller_maximum));
      const u32 moved = allowed < total ? allowed : total - 1;
      shift_rest(low, high, moved);
      store_node(heap, heaps, hole, low, moved);
      store_node(heap, heaps, stays, high, total - moved);
      unlock(heap, heaps, stays);
      unlock(heap, heaps, hole);
      hole = sinks;
    }
    store_node(heap, heaps, hole, empty, 0);
    unlock(heap, heaps, hole);
  }
};

}  // namespace mlmq
