// SPDX-License-Identifier: Apache-2.0
// L1 near-far: two queues of one warp, split at the threshold NF. Near is read first; when it is empty, NF becomes the
// shortest far distance + Δ and far is split again (MLMQ, section 3.4, L1NF).
#pragma once

#include "queues/counters.cuh"
#include "queues/order.cuh"
#include "queues/storage.cuh"
#include "queues/warp_deque.cuh"

namespace mlmq {

/// Scope: one warp, all lanes of which call every function together; with l1_of_block, a block.
/// Memory order: the lanes' accesses are ordered by sync_warp between two calls; other warps never access them.
/// Capacity: l1_capacity / 2 elements per side; a side without room moves the elements that `spill` selects to the
/// lower level.
/// @tparam Traits as of l1_deque, l1_capacity at least 64; a whole order (order.cuh); storage, with the members
///   l1_width and near_far_start
template <class Traits, class Counters>
class l1_near_far {
 public:
  using element = typename Traits::order::element;

 private:
  using spill = typename Traits::spill;
  using order = typename Traits::order;
  /// Capacity of each side: half of the total.
  static constexpr u32 side = Traits::l1_capacity / 2;

 public:
  static constexpr bool is_shared = false;
  static constexpr bool supports_runs = true;
  static constexpr u32 storage = 2 * side;
  static constexpr u32 state_words = 2 * warp_deque<element, side>::state_words + 1;

  SIMT_DEVICE l1_near_far(element* shared, const typename Traits::storage& storage, const block_words*,
                          Counters& counters)
      : near_(shared),
        far_(shared + side),
        counters_(counters),
        width_(storage.l1_width),
        threshold_(storage.near_far_start) {}

  SIMT_DEVICE u32 size() const { return near_.size() + far_.size(); }
  SIMT_DEVICE void save(u32* state) const {
    near_.save(state);
    far_.save(state + near_.state_words);
    if (simt::lane() == 0) simt::store(state + near_.state_words + far_.state_words, threshold_);
  }
  SIMT_DEVICE void load(const u32* state) {
    near_.load(state);
    far_.load(state + near_.state_words);
    threshold_ = simt::load(state + near_.state_words + far_.state_words);
  }

  /// Warp collective: reads up to l1_batch near elements, oldest first. @return false when both queues are empty
  SIMT_DEVICE bool read(element& e, bool& valid) {
    if (!has_near()) return false;
    valid = near_.pop_front(e, Traits::l1_batch);
    if (valid) counters_.add(queue_counter::l1_reads, 1);
    return true;
  }

  /// Returns the ring of `ring_size` words that holds the elements of runs.
  static constexpr u32 ring_size = side;
  SIMT_DEVICE const element* ring() const { return near_.storage(); }

  /// Warp collective: takes over the elements of the lanes in `lanes`, to be read next. The queue must be empty.
  SIMT_DEVICE void take_over(element e, u32 lanes) {
    near_.push_back(e, lanes);
    counters_.add(queue_counter::l1_writes, lanes >> simt::lane() & 1);
  }

  /// Warp collective: like read(), but does not load the elements; at most l1_batch and at most `most`.
  SIMT_DEVICE bool read_run(element_run& run, u32 most) {
    if (!has_near()) return false;
    run = near_.take_front(Traits::l1_batch < most ? Traits::l1_batch : most);
    if (simt::lane() < run.count) counters_.add(queue_counter::l1_reads, 1);
    return true;
  }

  /// Warp collective: files the element of every lane with `valid`. A full side spills itself.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    const u32 to_near = simt::ballot(valid && order::key_of(e) < threshold_);
    if (to_near != 0) push(near_, e, to_near, lower);
    if (to_near != writers) push(far_, e, writers & ~to_near, lower);
    if (valid) counters_.add(queue_counter::l1_writes, 1);
  }

 private:
  /// Returns whether there are near elements, after splitting far if near is empty.
  SIMT_DEVICE bool has_near() {
    if (near_.size() == 0 && far_.size() != 0) split_far();
    return near_.size() != 0;
  }

  template <class Lower>
  SIMT_DEVICE void push(warp_deque<element, side>& queue, element e, u32 writers, Lower& lower) {
    counters_.add(queue_counter::l1_spills, queue.template make_room<spill>(simt::popcount(writers), lower));
    queue.push_back(e, writers);
  }

  /// Splits far. Near must be empty and have room for all of far.
  SIMT_DEVICE void split_far() {
    const u32 count = far_.size();
    u32 shortest = no_key;
    // Goes once around the ring, so that the oldest element is first again.
    for (u32 remaining = count; remaining != 0;) {
      element e = 0;
      const u32 most = remaining < simt::warp_size ? remaining : simt::warp_size;
      const bool valid = far_.pop_front(e, most);
      if (valid && order::key_of(e) < shortest) shortest = order::key_of(e);
      far_.push_back(e, simt::ballot(valid));
      remaining -= most;
    }
    // Near never stays empty, even if the sum saturates or rounds to the shortest distance itself.
    const u32 least = simt::warp_min(shortest);
    const u32 sum = order::extend(least, width_);
    threshold_ = sum > least ? sum : least + 1;
    for (u32 remaining = count; remaining != 0;) {
      element e = 0;
      const u32 most = remaining < simt::warp_size ? remaining : simt::warp_size;
      const bool valid = far_.pop_front(e, most);
      const u32 to_near = simt::ballot(valid && order::key_of(e) < threshold_);
      const u32 to_far = simt::ballot(valid) & ~to_near;
      if (to_near != 0) near_.push_back(e, to_near);
      if (to_far != 0) far_.push_back(e, to_far);
      remaining -= most;
    }
  }

  warp_deque<element, side> near_;
  warp_deque<element, side> far_;
  Counters& counters_;
  u32 width_;
  u32 threshold_;
};

}  // namespace mlmq
