// SPDX-License-Identifier: Apache-2.0
// Interface between the tests of the queues and their kernels: the script of each warp, and records of its execution.
#pragma once

#include "queues/storage.cuh"
#include "search_abi.cuh"

namespace mlmq::tests {

enum class action : u32 {
  write,            ///< the lanes in `lanes` write their elements
  read,             ///< up to `amount` elements (L1 queues: up to l1_batch)
  advance,          ///< L2: the manager's turn, moves the window
  learn,            ///< L2: the block gets to know the window
  push_back,        ///< of a deque, as are all that follow
  push_front,       ///< the lanes in `lanes`
  pop_front,        ///< up to `amount`
  replace,          ///< pop_front of `amount`, and at once push_back of `lanes`
  room_everything,  ///< room for `amount`, a full deque spills everything
  room_worst,       ///< the same, a full deque spills its worst
  spill_back,       ///< until `amount` are left
  spill_all
};

/// One step of one warp; each step has 32 elements of its own, one for each lane.
struct step {
  action kind;
  u32 lanes;
  u32 amount;
  u32 unused;
};

enum class event : u32 {
  read,       ///< elements that a read returned; answer: lanes that got one
  spilled,    ///< elements that went to the level below
  remaining,  ///< elements read after the last step, until there were none
  state,      ///< of a deque after a step: answer = size, position = room, the first element in lane 0
  written,    ///< L2: a write has returned; answer = status of the run then
  taken,      ///< L2: from position … of subqueue; answer = lanes whose elements are open
  nothing,    ///< L2: nothing to claim
  advanced    ///< L2: the window was window_before and is window_after
};

struct record {
  event kind;
  u32 step;
  u32 lanes;  ///< of the elements below
  u32 answer;
  u32 subqueue;
  u32 position;
  u32 window_before;  ///< the window that the block knew before a write of these elements
  u32 window_after;   ///< and after it
  u64 elements[simt::warp_size];
};

struct script_arguments {
  queue_storage<u64> storage;
  u64* counters;        ///< counter_count sums
  const step* steps;    ///< steps_per_warp for each warp of the grid that writes
  const u64* elements;  ///< 32 for each step
  record* records;      ///< records_per_warp for each warp of the grid
  u32* record_counts;   ///< how many each warp had to record, at the end
  u32 steps_per_warp;
  u32 records_per_warp;
  // The members below are for many warps at one L2 queue.
  u32 writer_blocks;     ///< the first blocks; then come blocks of a dispatcher and takers, the last holds the manager
  u32 enough;            ///< elements after which nothing more is claimed
  u32 start_reading_at;  ///< elements written before anything is claimed
  u32 first_position;    ///< where the counts of all subqueues begin
};

}  // namespace mlmq::tests
