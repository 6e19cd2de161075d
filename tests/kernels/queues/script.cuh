// SPDX-License-Identifier: Apache-2.0
// Interface between the tests of the queues and their kernels: the script of each warp, and records of its execution.
#pragma once

#include "queues/storage.cuh"
#include "search_abi.cuh"

namespace mlmq::tests {

enum class action : u32 {
  write,            ///< the lanes in `lanes` write their elements
  read,             ///< reads up to `amount` elements (L1 queues: up to l1_batch)
  advance,          ///< L2: acts as the manager and moves the window
  learn,            ///< L2: the block reads the window
  push_back,        ///< of a deque, like all operations below
  push_front,       ///< the lanes in `lanes`
  pop_front,        ///< up to `amount`
  replace,          ///< pop_front of `amount`, immediately followed by push_back of `lanes`
  room_everything,  ///< makes room for `amount`; a full deque spills everything
  room_worst,       ///< makes room for `amount`; a full deque spills its worst elements
  spill_back,       ///< spills from the back until `amount` elements are left
  spill_all
};

/// One step of one warp. Each step has 32 elements of its own, one per lane.
struct step {
  action kind;
  u32 lanes;
  u32 amount;
  u32 unused;
};

enum class event : u32 {
  read,       ///< elements that a read returned; answer: lanes that got an element
  spilled,    ///< elements that went to the level below
  remaining,  ///< elements read after the last step, until the queue was empty
  state,      ///< deque after a step: answer = size, position = room, lane 0 has the first element
  written,    ///< L2: a write has returned; answer = status of the run at that time
  taken,      ///< L2: elements were taken from position … of the subqueue; answer = lanes with open elements
  nothing,    ///< L2: there was nothing to claim
  advanced    ///< L2: the window moved from window_before to window_after
};

struct record {
  event kind;
  u32 step;
  u32 lanes;  ///< lanes whose elements below are valid
  u32 answer;
  u32 subqueue;
  u32 position;
  u32 window_before;  ///< the window that the block knew before it wrote these elements
  u32 window_after;   ///< the window that the block knew after the write
  u64 elements[simt::warp_size];
};

struct script_arguments {
  queue_storage<u64> storage;
  u64* counters;        ///< counter_count sums
  const step* steps;    ///< steps_per_warp steps for each warp of the grid that writes
  const u64* elements;  ///< 32 elements per step
  record* records;      ///< records_per_warp records for each warp of the grid
  u32* record_counts;   ///< number of records that each warp had to write, at the end
  u32 steps_per_warp;
  u32 records_per_warp;
  // The members below are for tests with many warps at one L2 queue.
  u32 writer_blocks;  ///< number of writer blocks; blocks of a dispatcher and takers follow; the last has the manager
  u32 enough;         ///< number of elements after which nothing more is claimed
  u32 start_reading_at;  ///< number of elements that are written before anything is claimed
  u32 first_position;    ///< start value of the counts of all subqueues
};

}  // namespace mlmq::tests
