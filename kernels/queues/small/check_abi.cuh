// SPDX-License-Identifier: Apache-2.0
// What the fuzzer of the small queues and its kernel agree on: a script for each queue, and what came of it.
#pragma once

#include "queues/small/storage.cuh"

namespace mlmq {

/// What a group does in a step. Groups of one warp do different things in the same step.
enum class small_step : u32 {
  nothing,
  insert,       ///< its first operand
  remove,       ///< result: what was the least, in place 0
  insert_many,  ///< the operands that are no none
  remove_many,  ///< as many as its first operand says; the results in the first places
  send,  ///< its operands to the inboxes of the queues behind it in its block, which are emptied in the same step
  clear
};

/// Scripts and results have words of 64 bits; all ones stands for no element, whatever the queues' elements are.
template <class Element>
struct small_check_arguments {
  small_queue_storage<Element> storage;
  inbox_storage<Element> inboxes;
  const u32* steps;     ///< [step][queue]: small_step
  const u64* operands;  ///< [step][queue][width]
  u64* results;         ///< [step][queue][width], no_element where there are none
  u64* leasts;          ///< [step][queue]: the least element after the step
  u32* sizes;           ///< [step][queue]: after it
  u32* refused;         ///< [step][queue]: 1 when something did not fit
  u64* counts;          ///< comparisons, moves
  u32 step_count;
  u32 send_every;    ///< steps between two in which queues may send
  u32 width;         ///< operands of a step, the lanes of a group
  u32 reload_every;  ///< steps after which the queue is saved and brought again
};

}  // namespace mlmq
