// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the fuzzer of the small queues and its kernel: a script for each queue, and its results.
#pragma once

#include "queues/small/storage.cuh"

namespace mlmq {

/// The operation of a group in a step. Groups of one warp do different operations in the same step.
enum class small_step : u32 {
  nothing,
  insert,       ///< its first operand
  remove,       ///< result: the least element, in place 0
  insert_many,  ///< inserts the operands other than no_element
  remove_many,  ///< removes as many as the first operand says; the results are in the first places
  send,  ///< sends its operands to the inboxes of the queues behind it in its block, which are emptied in the same step
  clear
};

/// Scripts and results have words of 64 bits; all ones stands for no element, whatever the type of the queues'
/// elements.
template <class Element>
struct small_check_arguments {
  small_queue_storage<Element> storage;
  inbox_storage<Element> inboxes;
  const u32* steps;     ///< [step][queue]: small_step
  const u64* operands;  ///< [step][queue][width]
  u64* results;         ///< [step][queue][width], no_element if there is none
  u64* leasts;          ///< [step][queue]: the least element after the step
  u32* sizes;           ///< [step][queue]: the size after the step
  u32* refused;         ///< [step][queue]: 1 if something did not fit
  u64* counts;          ///< comparisons, moves
  u32 step_count;
  u32 send_every;    ///< steps between two steps in which queues may send
  u32 width;         ///< operands of a step, the lanes of a group
  u32 reload_every;  ///< steps after which the queue is saved and loaded again
};

}  // namespace mlmq
