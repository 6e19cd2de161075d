// SPDX-License-Identifier: Apache-2.0
// Common part of the L1 queues with one deque: reading from the front, and making room at the back.
#pragma once

#include "queues/counters.cuh"
#include "queues/storage.cuh"
#include "queues/warp_deque.cuh"

namespace mlmq {

/// @tparam Traits order::element; l1_capacity, a power of two of at least 32; l1_batch, 1 … 32; spill, spill_everything
///   or spill_worst
template <class Traits, class Counters>
class l1_deque {
 public:
  using element = typename Traits::order::element;
  static constexpr bool is_shared = false;
  static constexpr bool supports_runs = true;
  static constexpr u32 storage = Traits::l1_capacity;
  /// Size of the saved state: the words of the deque, and one more for the queue built on it.
  static constexpr u32 state_words = warp_deque<typename Traits::order::element, Traits::l1_capacity>::state_words + 1;

  /// @param shared `storage` words of shared memory of this warp
  SIMT_DEVICE l1_deque(element* shared, Counters& counters) : queue_(shared), counters_(counters) {}

  SIMT_DEVICE u32 size() const { return queue_.size(); }

  /// Warp collective: reads up to l1_batch elements from the front. @return false when there is none
  SIMT_DEVICE bool read(element& e, bool& valid) {
    if (queue_.size() == 0) return false;
    valid = queue_.pop_front(e, Traits::l1_batch);
    if (valid) counters_.add(queue_counter::l1_reads, 1);
    return true;
  }

  /// Returns the ring of `ring_size` words that holds the elements of runs.
  static constexpr u32 ring_size = Traits::l1_capacity;
  SIMT_DEVICE const element* ring() const { return queue_.storage(); }

  /// Warp collective: takes over the elements of the lanes in `lanes`, to be read next. The queue must be empty.
  SIMT_DEVICE void take_over(element e, u32 lanes) {
    queue_.push_back(e, lanes);
    counters_.add(queue_counter::l1_writes, lanes >> simt::lane() & 1);
  }

  /// Warp collective: like read(), but does not load the elements; at most l1_batch and at most `most`.
  SIMT_DEVICE bool read_run(element_run& run, u32 most) {
    if (queue_.size() == 0) return false;
    run = queue_.take_front(Traits::l1_batch < most ? Traits::l1_batch : most);
    if (simt::lane() < run.count) counters_.add(queue_counter::l1_reads, 1);
    return true;
  }

 protected:
  /// Warp collective: saves the state. @param extra_word the word of the queue built on this one, equal on all lanes
  SIMT_DEVICE void save_with(u32* state, u32 extra_word) const {
    queue_.save(state);
    if (simt::lane() == 0) simt::store(state + queue_.state_words, extra_word);
  }
  SIMT_DEVICE u32 load_with(const u32* state) {
    queue_.load(state);
    return simt::load(state + queue_.state_words);
  }

  /// Warp collective: makes room for the elements of the lanes in `writers`, which will be pushed.
  template <class Lower>
  SIMT_DEVICE void make_room(u32 writers, Lower& lower) {
    counters_.add(queue_counter::l1_spills,
                  queue_.template make_room<typename Traits::spill>(simt::popcount(writers), lower));
    counters_.add(queue_counter::l1_writes, writers >> simt::lane() & 1);
  }

  warp_deque<element, Traits::l1_capacity> queue_;
  Counters& counters_;
};

}  // namespace mlmq
