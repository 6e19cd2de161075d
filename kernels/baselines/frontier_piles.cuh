// SPDX-License-Identifier: Apache-2.0
// The output of a superstep: a near and a far pile in global memory. Each warp has a stage in shared memory for each
// pile, so that writing an element takes a few cycles and positions in global memory are reserved for many elements at
// a time.
#pragma once

#include "baselines/frontier_abi.cuh"
#include "queues/warp_deque.cuh"
#include "vertex_element.cuh"

namespace mlmq {

/// State of a warp, in registers and equal on all its lanes.
/// @tparam has_far whether there is a far pile; otherwise all elements are near
template <bool has_far, class Counters>
class frontier_piles {
 public:
  SIMT_DEVICE frontier_piles(const frontier_arguments& arguments, frontier_block_words* block, u64* near_storage,
                             u64* far_storage, Counters& counters)
      : arguments_(arguments), block_(block), near_(near_storage), far_(far_storage), counters_(counters) {}

  u32 step = 0;         ///< number of the superstep
  u32 near_buffer = 0;  ///< the near pile that is being written
  u32 near_base = 0;    ///< elements in it from the superstep before
  u32 threshold = 0;    ///< elements with this key or a larger one are far
  u32 far_buffer = 0;
  u32 far_begin_0 = 0;  ///< start positions of the two far piles
  u32 far_begin_1 = 0;

  SIMT_DEVICE superstep_words* words_of(u32 number) const { return arguments_.control->steps + number % 4; }
  SIMT_DEVICE superstep_words* words() const { return words_of(step); }
  SIMT_DEVICE u64* near_pile(u32 buffer) const {
    return arguments_.near_pile + static_cast<u64>(buffer) * arguments_.near_capacity;
  }
  SIMT_DEVICE u64* far_slot(u32 buffer, u32 position) const {
    return arguments_.far_pile + static_cast<u64>(buffer) * (arguments_.far_mask + 1ull) +
           (position & arguments_.far_mask);
  }
  // Two scalars instead of an array: an index that is not a constant would put it into memory.
  SIMT_DEVICE u32 far_begin(u32 buffer) const { return buffer == 0 ? far_begin_0 : far_begin_1; }
  SIMT_DEVICE void set_far_begin(u32 buffer, u32 position) {
    if (buffer == 0) far_begin_0 = position;
    if (buffer == 1) far_begin_1 = position;
  }
  SIMT_DEVICE u32 staged_near() const { return near_.size(); }
  SIMT_DEVICE u32 staged_far() const { return far_.size(); }

  /// Warp collective: keeps the elements of the lanes with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    const bool is_near = valid && (!has_far || distance_of(e) < threshold);
    const u32 near = simt::ballot(is_near);
    if (near != 0) {
      near_.push_back(e, near);
      if (near_.room() < simt::warp_size) flush_near();
    }
    if constexpr (has_far) {
      const u32 far = simt::ballot(valid && !is_near);
      if (far != 0) {
        far_.push_back(e, far);
        if (far_.room() < simt::warp_size) flush_far();
      }
    }
    if (valid) counters_.add(counter::l2_writes, 1);
  }

  /// Warp collective: writes the elements staged for the near pile to `destination`, or drops them if it is null.
  SIMT_DEVICE void drain_near(u64* destination) {
    element e = 0;
    for (u32 first = simt::lane(); near_.size() != 0; first += simt::warp_size) {
      if (near_.pop_front(e) && destination != nullptr) simt::store(destination + first, e);
    }
  }

  /// Warp collective: writes the elements staged for the far pile from `position` on, or drops them.
  SIMT_DEVICE void drain_far(u32 position, bool drop) {
    element e = 0;
    for (u32 next = position + simt::lane(); far_.size() != 0; next += simt::warp_size) {
      if (far_.pop_front(e) && !drop) simt::store(far_slot(far_buffer, next), e);
    }
  }

  /// Called by one lane: reserves `count` elements of the near pile, at `position`.
  /// @return false if they do not fit; then the run has been ended
  SIMT_DEVICE bool reserve_near(u32 count, u32& position) {
    counters_.add(counter::queue_atomics, 1);
    const u64 before = simt::atomic_add<simt::order::relaxed, simt::scope::device>(&words()->progress, u64{count});
    position = near_base + (static_cast<u32>(before) & ((1u << frontier_progress::slice_shift) - 1));
    return position + count <= arguments_.near_capacity || declare_full();
  }

  /// Called by one lane: reserves `count` elements of the far pile, like reserve_near().
  SIMT_DEVICE bool reserve_far(u32 count, u32& position) {
    counters_.add(counter::queue_atomics, 1);
    position =
        simt::atomic_add<simt::order::relaxed, simt::scope::device>(&arguments_.control->far[far_buffer].tail, count);
    return position - far_begin(far_buffer) + count <= arguments_.far_mask + 1 || declare_full();
  }

  /// Called by one lane: ends the run. @return false
  SIMT_DEVICE bool declare_full() {
    simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(
        &arguments_.control->status, static_cast<u32>(run_status::running), static_cast<u32>(run_status::queue_full));
    is_full_ = true;
    return false;
  }

 private:
  SIMT_DEVICE void flush_near() {
    const u32 count = near_.size() / simt::warp_size * simt::warp_size;
    u32 position = 0;
    bool fits = false;
    if (simt::lane() == 0) {
      simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block_->went_global, 1u);
      fits = !is_full_ && reserve_near(count, position);
    }
    position = simt::shuffle(position, 0);
    fits = simt::any(fits);
    element e = 0;
    for (u32 first = 0; first < count; first += simt::warp_size) {
      near_.pop_front(e);
      // If there is no room, the run ends. Until all blocks have seen that, new elements are dropped.
      if (fits) simt::store(near_pile(near_buffer) + position + first + simt::lane(), e);
    }
  }

  SIMT_DEVICE void flush_far() {
    u32 position = 0;
    bool fits = false;
    if (simt::lane() == 0) fits = !is_full_ && reserve_far(simt::warp_size, position);
    position = simt::shuffle(position, 0);
    fits = simt::any(fits);
    element e = 0;
    far_.pop_front(e);
    if (fits) simt::store(far_slot(far_buffer, position + simt::lane()), e);
  }

  const frontier_arguments& arguments_;
  frontier_block_words* block_;
  warp_deque<element, near_stage> near_;
  warp_deque<element, far_stage> far_;
  Counters& counters_;
  bool is_full_ = false;
};

}  // namespace mlmq
