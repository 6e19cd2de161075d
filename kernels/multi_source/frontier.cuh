// SPDX-License-Identifier: Apache-2.0
// The vertices that a block's search has yet to expand: the frontiers of this and the next round, whose first elements
// are in shared memory, and a far pile in global memory.
#pragma once

#include "multi_source/configuration.cuh"
#include "multi_source/multi_source_abi.cuh"
#include "multi_source/stop_watch.cuh"
#include "simt/simt.cuh"
#include "vertex_element.cuh"

namespace mlmq::multi_source {

class frontier {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param shared two of near_items elements
  SIMT_DEVICE frontier(const multi_source_arguments& arguments, block_search_words* words, u64* shared)
      : arguments_(arguments), words_(words), shared_(shared) {}

  SIMT_DEVICE u64* shared() const { return shared_; }

  /// Called by one thread, before a barrier: round 0 is empty.
  SIMT_DEVICE void begin() {
    simt::store(&words_->near[0], 0u);
    simt::store(&words_->near[1], 0u);
    simt::store(&words_->near[2], 0u);
    simt::store(&words_->near[3], 0u);
    for (u32 i = 0; i < 4; ++i) simt::store(&words_->has_long[i], 0u);
    simt::store(&words_->far, 0u);
    simt::store(&words_->far_min, ~0u);
    simt::store(&words_->far_index, 0u);
  }
  /// Like begin(), but round 0 consists of the source.
  SIMT_DEVICE void begin(u32 source) {
    begin();
    simt::store(&words_->near[0], 1u);
    store_near(0, 0, make_element(source, 0));
  }
  /// Called by one thread after begin(), before a barrier: adds an element to round 0 or to the far pile.
  SIMT_DEVICE void add(u32 vertex, u32 key, bool is_near) {
    u32* const count = is_near ? &words_->near[0] : &words_->far;
    const u32 index = simt::load(count);
    simt::store(count, index + 1);
    if (is_near) {
      store_near(0, index, make_element(vertex, key));
    } else {
      store_far(index, make_element(vertex, key));
      if (key < simt::load(&words_->far_min)) simt::store(&words_->far_min, key);
    }
  }

  /// Returns the number of elements to expand in this round. Elements that did not fit have ended the run.
  SIMT_DEVICE u32 count(u32 round) const {
    const u32 pushed = simt::load(&words_->near[round & 3]);
    const u32 room = near_items + arguments_.near_capacity;
    return pushed < room ? pushed : room;
  }
  /// Returns the number of elements of the far pile. Valid only while nothing is pushed.
  SIMT_DEVICE u32 far_count() const {
    const u32 pushed = simt::load(&words_->far);
    return pushed < arguments_.far_capacity ? pushed : arguments_.far_capacity;
  }

  SIMT_DEVICE element element_at(u32 round, u32 index) const {
    if (index < near_items) return simt::load(shared_ + (round & 1) * near_items + index);
    return simt::load(overflow(round) + (index - near_items));
  }

  /// Called by one thread: clears the counts of the round after the next.
  SIMT_DEVICE void clear_after(u32 round) {
    simt::store(&words_->near[(round + 2) & 3], 0u);
    simt::store(&words_->has_long[(round + 2) & 3], 0u);
  }

  /// Returns whether set_long() was called for the round.
  SIMT_DEVICE bool has_long(u32 round) const { return simt::load(&words_->has_long[round & 3]) != 0; }
  SIMT_DEVICE void set_long(u32 round) {
    simt::store_atomic<order::relaxed, scope::block>(&words_->has_long[round & 3], 1u);
  }

  /// Warp collective: the `near` elements of this lane go to round `round`, the others of `chosen` to the far pile.
  /// @param keys keys of the elements' distances
  /// @param near, chosen one bit per element of the N
  template <u32 N>
  SIMT_DEVICE void push(u32 round, const u32 (&vertices)[N], const u32 (&keys)[N], u32 near, u32 chosen) {
    u32 near_before = 0;
    u32 near_sum = 0;
    u32 far_before = 0;
    u32 far_sum = 0;
    for (u32 i = 0; i < N; ++i) {
      const u32 near_lanes = simt::ballot((near >> i & 1) != 0);
      const u32 far_lanes = simt::ballot(((chosen & ~near) >> i & 1) != 0);
      near_before += simt::popcount(near_lanes & simt::lanes_below());
      near_sum += simt::popcount(near_lanes);
      far_before += simt::popcount(far_lanes & simt::lanes_below());
      far_sum += simt::popcount(far_lanes);
    }
    if ((near_sum | far_sum) == 0) return;
    u32 base = 0;
    if (simt::lane() == 0 && near_sum != 0) {
      base = simt::atomic_add<order::relaxed, scope::block>(&words_->near[round & 3], near_sum);
    }
    if (simt::lane() == 1 && far_sum != 0) base = simt::atomic_add<order::relaxed, scope::block>(&words_->far, far_sum);
    near_before += simt::shuffle(base, 0);
    far_before += simt::shuffle(base, 1);
    u32 far_min = ~0u;
    for (u32 i = 0; i < N; ++i) {
      if ((chosen >> i & 1) == 0) continue;
      const element e = make_element(vertices[i], keys[i]);
      if ((near >> i & 1) != 0) {
        store_near(round, near_before++, e);
      } else {
        if (keys[i] < far_min) far_min = keys[i];
        store_far(far_before++, e);
      }
    }
    if (far_sum == 0) return;
    far_min = simt::warp_min(far_min);
    if (simt::lane() == 0) simt::atomic_min<order::relaxed, scope::block>(&words_->far_min, far_min);
  }

  /// Returns the far pile of the block to which elements have been appended so far.
  SIMT_DEVICE const u64* far_pile() const { return far_pile_of(simt::load(&words_->far_index)); }
  /// Called by one thread, between barriers: switches to the other far pile, which is empty.
  SIMT_DEVICE void swap_far_piles() {
    simt::store(&words_->far_index, simt::load(&words_->far_index) ^ 1);
    simt::store(&words_->far, 0u);
    simt::store(&words_->far_min, ~0u);
  }

 private:
  SIMT_DEVICE u64* overflow(u32 round) const {
    return arguments_.near_piles + (u64{simt::block_index()} * 2 + (round & 1)) * arguments_.near_capacity;
  }
  SIMT_DEVICE u64* far_pile_of(u32 index) const {
    return arguments_.far_piles + (u64{simt::block_index()} * 2 + index) * arguments_.far_capacity;
  }

  SIMT_DEVICE void store_near(u32 round, u32 index, element e) {
    if (index < near_items) {
      simt::store(shared_ + (round & 1) * near_items + index, e);
    } else if (index - near_items < arguments_.near_capacity) {
      simt::store(overflow(round) + (index - near_items), e);
    } else {
      stop(arguments_.control, run_status::queue_full);
    }
  }

  SIMT_DEVICE void store_far(u32 index, element e) {
    if (index < arguments_.far_capacity) {
      simt::store(far_pile_of(simt::load(&words_->far_index)) + index, e);
    } else {
      stop(arguments_.control, run_status::queue_full);
    }
  }

  const multi_source_arguments& arguments_;
  block_search_words* words_;
  u64* shared_;
};

}  // namespace mlmq::multi_source
