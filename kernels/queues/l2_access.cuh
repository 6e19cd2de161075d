// SPDX-License-Identifier: Apache-2.0
// The interface of every global queue to workers, dispatchers and the manager, and access to the shared control words.
//
// An L2 queue has one or more subqueues (rings or heaps). Each counts the elements written to it before they exist, and
// the elements taken from it. A class that is an L2 queue has
//   subqueue_count, open_subqueues, first_window, keeps_state, adapts_delta
//   subqueues_when_idle                      dispatcher: those open to a block whose workers all wait, at least
//                                            open_subqueues
//   write(element, valid)                    worker: warp collective
//   is_open(element)                         worker: whether to process the element now or write it again
//   take(mail, delivered, element)           worker: the elements of an assignment
//   open_subqueue(window, rank)              dispatcher: the one that is rank-th in priority, 0 … subqueues_when_idle-1
//   load_counts(subqueue)                    dispatcher, manager: its counts
//   available(counts)                        dispatcher: number of elements that may be claimed; not above 0: none
//   claim(subqueue, requested, seen, lane)   dispatcher: takes a batch of the subqueue that the lane has seen
//   deliver(batch, worker lane's share)      dispatcher: hands over elements that the workers do not fetch themselves
//   subqueue_in_order(window, rank)          manager: all subqueues in the order of their priority
//   advanced_window(window, rank)            manager: the window when the rank-th subqueue is the first with work
//   note_deferred(element, valid)            worker: that elements were not open
#pragma once

#include "queues/counters.cuh"
#include "queues/mailbox.cuh"
#include "queues/storage.cuh"

namespace mlmq {

/// A batch that a dispatcher has claimed; equal on all lanes except `own_element`.
template <class Element>
struct l2_batch {
  u32 subqueue;
  u32 first;
  u32 count;
  Element own_element;  ///< this lane's element, if the queue hands over elements instead of positions
};

template <class Storage, class Counters>
class l2_access {
 public:
  /// Whether an object has state that must be kept from one write to the next.
  static constexpr bool keeps_state = false;
  /// Whether the manager changes the width of the buckets during a run.
  static constexpr bool adapts_delta = false;

  SIMT_DEVICE l2_access(const Storage& storage, const block_words* block, Counters& counters)
      : storage_(storage), block_(block), counters_(counters) {}

  /// Returns the counts of a subqueue, like subqueue_control.
  SIMT_DEVICE simt::quad load_counts(u32 subqueue) const {
    return simt::load_quad(&storage_.control->subqueues[subqueue].words);
  }

  /// Returns how many elements of a subqueue may be claimed according to the counts seen: all that are written and not
  /// taken.
  SIMT_DEVICE static int available(simt::quad seen) { return static_cast<int>(seen.y - seen.x); }

 protected:
  SIMT_DEVICE u32* taken(u32 subqueue) const { return &storage_.control->subqueues[subqueue].words.x; }
  SIMT_DEVICE u32* written(u32 subqueue) const { return &storage_.control->subqueues[subqueue].words.y; }

  SIMT_DEVICE bool run_ended() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&block_->status) !=
           static_cast<u32>(run_status::running);
  }

  /// Like run_ended(), but with one result for all lanes, which may see the change at different times.
  SIMT_DEVICE bool run_ended_for_warp() const { return simt::any(run_ended()); }

  SIMT_DEVICE bool grid_ended() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::device>(&storage_.control->status) !=
           static_cast<u32>(run_status::running);
  }

  /// Ends the run: the host repeats it with more room.
  SIMT_DEVICE void declare_full() {
    simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(
        &storage_.control->status, static_cast<u32>(run_status::running), static_cast<u32>(run_status::queue_full));
  }

  const Storage& storage_;
  const block_words* block_;
  Counters& counters_;
};

}  // namespace mlmq
