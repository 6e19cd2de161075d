// SPDX-License-Identifier: Apache-2.0
// What every global queue offers to workers, couriers and the manager, and the control words that all of them share.
//
// An L2 queue has one or more parts (rings or heaps). Each part counts the elements written to it before they exist,
// and the elements taken from it. A class that is an L2 queue has
//   part_count, open_parts, first_base, keeps_state
//   parts_when_idle                           courier: open parts of a block whose workers all wait, at least open_parts
//   write(element, valid)                     worker: warp collective
//   is_open(element)                          worker: whether to process the element now or write it again
//   take(mail, delivered, element)            worker: the elements of an assignment
//   open_part(base, rank)                     courier: the part that is rank-th in priority, 0 … parts_when_idle-1
//   look(part)                                courier, manager: the counts of a part
//   available(counts)                         courier: how much of a part that it saw may be claimed; not above 0: none
//   claim(part, wanted, seen, looker)         courier: takes a batch
//   deliver(batch, worker lane's share)       courier: hands over what the workers do not fetch themselves
//   part_in_order(base, rank)                 manager: all parts in the order of their priority
//   advanced_base(base, rank)                 manager: the base when the rank-th part is the first with work
//   note_deferred(element, valid)             worker: that elements were not open
#pragma once

#include "queues/element.cuh"
#include "queues/mailbox.cuh"
#include "search_abi.cuh"

namespace mlmq {

/// What a courier has claimed; equal on all lanes except `own`.
struct l2_batch {
  u32 part;
  u32 first;
  u32 count;
  element own;  ///< of this lane, when the queue hands over elements rather than positions
};

template <class Counters>
class l2_access {
 public:
  /// Whether an object remembers something from one write to the next.
  static constexpr bool keeps_state = false;

  SIMT_DEVICE l2_access(const search_arguments& arguments, const block_words* block, Counters& counters)
      : arguments_(arguments), block_(block), counters_(counters) {}

  /// The counts of a part, as in ring_control.
  SIMT_DEVICE simt::quad look(u32 part) const { return simt::load_quad(&arguments_.control->rings[part].words); }

  /// Elements of a part that may be claimed, by what was seen of it: all that are written and not taken.
  SIMT_DEVICE static int available(simt::quad seen) { return static_cast<int>(seen.y - seen.x); }

 protected:
  SIMT_DEVICE u32* taken(u32 part) const { return &arguments_.control->rings[part].words.x; }
  SIMT_DEVICE u32* written(u32 part) const { return &arguments_.control->rings[part].words.y; }

  SIMT_DEVICE bool run_ended() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&block_->status) !=
           static_cast<u32>(run_status::running);
  }

  /// The same on all lanes, which may see the change at different moments.
  SIMT_DEVICE bool warp_sees_end() const { return simt::any(run_ended()); }

  SIMT_DEVICE bool grid_ended() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::device>(&arguments_.control->status) !=
           static_cast<u32>(run_status::running);
  }

  /// Ends the run: the host repeats it with more room.
  SIMT_DEVICE void declare_full() {
    simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(
        &arguments_.control->status, static_cast<u32>(run_status::running), static_cast<u32>(run_status::queue_full));
  }

  const search_arguments& arguments_;
  const block_words* block_;
  Counters& counters_;
};

}  // namespace mlmq
