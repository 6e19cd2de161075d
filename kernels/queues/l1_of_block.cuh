// SPDX-License-Identifier: Apache-2.0
// Sharing of an L1 queue. By default each warp has one (MLMQ, section 3.4); l1_of_block makes any of them one queue for
// all workers of a block. The load within the block is then balanced without L2, but every access takes a lock.
//
// A warp's queue keeps its head, size and threshold in registers. The queue of a block keeps them in shared memory
// while no worker uses it: a worker takes the block's lock, loads them, reads or writes like the only owner of a queue,
// stores them and releases the lock. A full queue moves elements to L2 under the lock. A worker that has positions of
// L2 to empty never waits for the lock before it has emptied them, so two waits cannot form a cycle. Dispatchers read
// the size without the lock, and send idle workers to the queue.
#pragma once

#include "queues/storage.cuh"
#include "simt/simt.cuh"

namespace mlmq {

/// Wrapper for a queue per warp: the queue as it is.
template <class Queue, class Counters>
using l1_of_warp = Queue;

/// Scope: any warp of a block, all lanes of which call every function together. Memory order: the lock is taken with
/// acquire and released with release order, so that the next warp sees what the previous one wrote. Capacity and
/// overflow are those of the queue.
/// @tparam Queue an L1 queue of a warp
template <class Queue, class Counters>
class l1_of_block {
 public:
  using element = typename Queue::element;

 private:
  static_assert(Queue::state_words <= 14);
  static constexpr u32 words_before = static_cast<u32>(sizeof(l1_block_words) / sizeof(element));

 public:
  static constexpr bool is_shared = true;
  static constexpr bool supports_runs = false;  // another warp may write the places as soon as the lock is free
  static constexpr u32 ring_size = 0;
  static constexpr u32 storage = words_before + Queue::storage;

  /// @param shared `storage` words of shared memory of this block
  template <class Storage>
  SIMT_DEVICE l1_of_block(element* shared, const Storage& storage, const block_words* block, Counters& counters)
      : words_(reinterpret_cast<l1_block_words*>(shared)),
        block_(block),
        queue_(shared + words_before, storage, block, counters) {}

  /// Warp collective, called once per block before any other use of the queue.
  SIMT_DEVICE void initialise() {
    if (simt::lane() == 0) simt::store_atomic<simt::order::relaxed, simt::scope::block>(&words_->lock, 0u);
    save();
  }

  /// Returns the number of elements in the queue. Any warp of the block may call it without the lock.
  SIMT_DEVICE u32 size_unlocked() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&words_->size);
  }

  /// Warp collective: reads up to l1_batch elements. @return false when there is none
  SIMT_DEVICE bool read(element& e, bool& valid) {
    if (simt::all(size_unlocked() == 0) || !lock()) return false;
    const bool is_successful = queue_.read(e, valid);
    unlock();
    return is_successful;
  }

  /// Warp collective: adds the element of every lane with `valid`.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    if (!simt::any(valid) || !lock()) return;
    queue_.write(e, valid, lower);
    unlock();
  }

 private:
  SIMT_DEVICE void save() const {
    queue_.save(words_->state);
    if (simt::lane() == 0) simt::store_atomic<simt::order::relaxed, simt::scope::block>(&words_->size, queue_.size());
  }

  /// @return false when the run has ended
  SIMT_DEVICE bool lock() {
    bool locked = true;
    if (simt::lane() == 0) {
      while (simt::atomic_compare_exchange<simt::order::acquire, simt::scope::block>(&words_->lock, 0u, 1u) != 0) {
        if (simt::load_atomic<simt::order::relaxed, simt::scope::block>(&block_->status) !=
            static_cast<u32>(run_status::running)) {
          locked = false;
          break;
        }
        simt::backoff(20);
      }
    }
    locked = simt::all(locked);
    // Orders the other lanes' accesses after the lock.
    simt::sync_warp();
    if (locked) queue_.load(words_->state);
    // All lanes must have read the word before one lane writes it.
    simt::sync_warp();
    return locked;
  }

  SIMT_DEVICE void unlock() {
    save();
    simt::sync_warp();
    if (simt::lane() == 0) simt::store_atomic<simt::order::release, simt::scope::block>(&words_->lock, 0u);
  }

  l1_block_words* words_;
  const block_words* block_;
  Queue queue_;
};

}  // namespace mlmq
