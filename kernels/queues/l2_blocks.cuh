// SPDX-License-Identifier: Apache-2.0
// First-in first-out queues of data blocks, which warps read themselves (MLMQ, section 4.2, Listing 3).
//
// A writer reserves blocks by an add on `next_write`, waits until they are empty, copies its elements, and publishes
// the number of elements with release. A reader reserves the next block by an add on `next_read` and keeps the
// reservation until that block has elements; then it takes all of them and leaves the block empty, with release.
// Elements that lie in a block which a busy warp has reserved wait for this warp. With several queues, a reader
// reserves a block only when one has been written: otherwise every warp would keep a block of every bucket waiting, and
// the window with it.
//
// The n-th reservation of a place is for its n-th turn, which the state of a block counts. The paper's blocks have only
// their size: once the queue has wrapped, two writers that wait for the same place both find it empty, or two readers
// find the same elements.
#pragma once

#include "queues/l2_access.cuh"

namespace mlmq {

/// @tparam Traits order::element; storage, a view like queue_storage, with a 64-bit word for each block of 32 slots
///   behind the slots of all subqueues; l2_batch, the most elements of a block, up to 32
/// @tparam Order subqueue_count; open_subqueues, how many of them are read; priority_of(window, subqueue), 0 for the
///   first to be read
template <class Traits, class Counters, class Order>
class l2_blocks : public l2_access<typename Traits::storage, Counters> {
  using order = simt::order;
  using scope = simt::scope;

 public:
  using element = typename Traits::order::element;
  using l2_access<typename Traits::storage, Counters>::l2_access;

  /// Warp collective: every lane with `valid` writes its element to its `subqueue`.
  /// @param subqueue equal on all lanes when `uniform_subqueue`
  template <bool uniform_subqueue>
  SIMT_DEVICE void push(u32 subqueue, element e, bool valid) {
    const u32 group = uniform_subqueue ? simt::ballot(valid) : simt::match_any(valid ? subqueue : max_subqueues);
    const u32 leader = simt::first_set(group | 1u << 31);
    const u32 count = simt::popcount(group);
    const u32 rank = simt::popcount(group & simt::lanes_below());
    u32 first = 0;
    if (valid && simt::lane() == leader) {
      // Elements are counted before they exist, so that the manager does not take the queue for empty.
      simt::atomic_add<order::relaxed, scope::device>(this->written(subqueue), count);
      first = simt::atomic_add<order::relaxed, scope::device>(next_write(subqueue), (count - 1) / most + 1);
      this->counters_.add(queue_counter::atomics, 2);
    }
    const u32 block = simt::shuffle(first, leader) + rank / most;
    const bool has_room = valid && wait_until_empty(state_of(subqueue, block), empty_in_turn(turn_of(block)));
    if (has_room) {
      simt::store(slot(subqueue, block) + rank % most, e);
      this->counters_.add(queue_counter::l2_writes, 1);
    }
    // Orders every lane's element before the state of its block.
    simt::sync_warp();
    if (has_room && rank % most == 0) {
      const u32 size = count - rank < most ? count - rank : most;
      simt::store_atomic<order::release, scope::device>(state_of(subqueue, block),
                                                        empty_in_turn(turn_of(block)) - size);
    }
  }

  /// Warp collective: takes the elements of one block, if one that this warp has reserved is not empty.
  /// @param reserved the reservations of this warp: lane s has that of subqueue s; ~0u before the first call
  /// @return the number of elements; the first lanes have one each
  SIMT_DEVICE u32 take_reserved(u32 window, u32& reserved, element& e) {
    const u32 subqueue = simt::lane();
    const u32 priority = subqueue < subqueues ? Order::priority_of(window, subqueue) : Order::open_subqueues;
    const bool is_open = priority < Order::open_subqueues;
    if constexpr (subqueues == 1) {
      if (is_open && reserved == ~0u) {
        reserved = simt::atomic_add<order::relaxed, scope::device>(next_read(subqueue), 1u);
        this->counters_.add(queue_counter::atomics, 1);
      }
    } else {
      reserve_written(subqueue, priority, is_open, reserved);
    }
    u32 size = 0;
    if (is_open && reserved != ~0u) {
      // In another turn, the difference is at least 2^32.
      const u64 state = simt::load_atomic<order::acquire, scope::device>(state_of(subqueue, reserved));
      const u64 difference = empty_in_turn(turn_of(reserved)) - state;
      if (difference <= most) size = static_cast<u32>(difference);
    }
    const u32 best = simt::warp_min(size != 0 ? priority << 8 | subqueue : ~0u);
    if (best == ~0u) return 0;
    const u32 source = best & 0xFF;
    const u32 block = simt::shuffle(reserved, source);
    const u32 count = simt::shuffle(size, source);
    // Makes what the lane of the block has acquired visible to all lanes.
    simt::sync_warp();
    if (simt::lane() < count) {
      e = simt::load(slot(source, block) + simt::lane());
      this->counters_.add(queue_counter::l2_reads, 1);
    }
    simt::sync_warp();
    if (simt::lane() == source) {
      simt::store_atomic<order::release, scope::device>(state_of(source, block),
                                                        empty_in_turn(turn_of(block + blocks())));
      simt::reduce_add<order::relaxed, scope::device>(this->taken(source), count);
      this->counters_.add(queue_counter::atomics, 1);
      reserved = ~0u;
    }
    return count;
  }

 private:
  static constexpr u32 subqueues = Order::subqueue_count;
  static constexpr u32 most = Traits::l2_batch;
  static_assert(most >= 1 && most <= simt::warp_size);

  SIMT_DEVICE u32* next_read(u32 subqueue) const { return &this->storage_.control->subqueues[subqueue].words.z; }
  SIMT_DEVICE u32* next_write(u32 subqueue) const { return &this->storage_.control->subqueues[subqueue].words.w; }
  SIMT_DEVICE u64 slots() const { return this->storage_.capacity_mask + 1ull; }
  SIMT_DEVICE u32 blocks() const { return (this->storage_.capacity_mask + 1) / simt::warp_size; }
  SIMT_DEVICE u32 place_of(u32 block) const { return block & (blocks() - 1); }
  SIMT_DEVICE u32 turn_of(u32 block) const { return block >> simt::popcount(blocks() - 1); }
  /// The state of an empty block. With elements, it is less by their number. Memory of all ones is an empty queue.
  SIMT_DEVICE static u64 empty_in_turn(u32 turn) { return ~(static_cast<u64>(turn) << 32); }

  SIMT_DEVICE element* slot(u32 subqueue, u32 block) const {
    return this->storage_.slots + subqueue * slots() + place_of(block) * u64{simt::warp_size};
  }
  SIMT_DEVICE u64* state_of(u32 subqueue, u32 block) const {
    u64* const states = reinterpret_cast<u64*>(this->storage_.slots + subqueues * slots());
    return states + subqueue * static_cast<u64>(blocks()) + place_of(block);
  }

  /// Warp collective: reserves a block of the open subqueue of highest priority in which one has been written, unless
  /// this warp has one of such a priority. If another warp is faster, this one waits for the next. (Readers that
  /// compete by compare-exchange for exactly those that have been written take 10 to 100 times as long.)
  SIMT_DEVICE void reserve_written(u32 subqueue, u32 priority, bool is_open, u32& reserved) {
    simt::quad seen = {0, 0, 0, 0};
    if (is_open) seen = this->load_counts(subqueue);
    const bool has_work = is_open && (reserved != ~0u || static_cast<int>(seen.w - seen.z) > 0);
    const u32 first = simt::warp_min(has_work ? priority : ~0u);
    if (!has_work || priority != first || reserved != ~0u) return;
    reserved = simt::atomic_add<order::relaxed, scope::device>(next_read(subqueue), 1u);
    this->counters_.add(queue_counter::atomics, 1);
  }

  /// Waits until the block has this state. @return false if the run has ended, so that elements are not needed any more
  SIMT_DEVICE bool wait_until_empty(const u64* state, u64 empty) {
    const u64 give_up = simt::clock_ns() + this->storage_.full_wait_ns;
    while (simt::load_atomic<order::acquire, scope::device>(state) != empty) {
      if (this->grid_ended()) return false;
      if (simt::clock_ns() > give_up) {
        this->declare_full();
        return false;
      }
      simt::backoff(100);
    }
    return true;
  }
};

}  // namespace mlmq
