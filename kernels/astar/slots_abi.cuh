// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernels astar_phases and astar_parallel_heap.
#pragma once

#include "astar/astar_abi.cuh"
#include "queues/small/parallel_heap_storage.cuh"

/// What a launch does for every search.
enum class astar_phase : u32 {
  queues,     ///< puts the opened cells into the open list, takes the next cells from it, and starts new searches
  expansions  ///< opens the neighbours of the cells that were taken
};

inline constexpr u32 no_search = 0xFFFFFFFFu;

/// Place of one of the searches that run at a time; all ones at the beginning of a run.
struct astar_slot {
  u32 search;  ///< or no_search
  u32 goal;
  u32 stamp;   ///< of the search in the slot's table, falling from one to the next
  u32 begins;  ///< 1: the search has just started
  u32 taken;   ///< number of cells in `cells`
  u32 opened;  ///< number of items in `items`
  u32 open;    ///< with a parallel heap: open cells of the search
  u32 unused;
};

struct astar_slots_control {
  u32 status;
  u32 next;      ///< next search to start
  u32 finished;  ///< searches that have finished
  /// `finished` when a slot first found no search to start: until then all slots had one.
  u32 finished_by_all;
  u64 begin_ns;  ///< clock of the first launch
  u64 end_ns;    ///< clock at `finished_by_all`, or 0
};

struct astar_slots_arguments {
  const u8* moves;                        ///< one per cell: bit d is set when the step in direction d is legal
  const astar_pair* pairs;                ///< `searches` pairs
  u32* lengths;                           ///< one per search
  u64* tables;                            ///< `cells` words per slot
  mlmq::small_queue_storage<u64> queues;  ///< open lists, one per slot
  astar_slot* slot_states;                ///< one per slot
  u32* taken_cells;                       ///< per slot as many as are expanded together
  u64* opened_items;                      ///< per slot eight times as many
  astar_slots_control* control;
  u64* counters;
  u64 limit_ns;  ///< time after which the run stops
  u32 searches;
  u32 slots;
  u32 cells;  ///< rows << column_bits
  u32 column_bits;
  astar_phase phase;
  u32 first_launch;  ///< 1 in the first launch of a run
};

/// Bits of an element of the parallel heap for the search and the cell; the others have f as a half float.
inline constexpr u32 heap_search_bits = 22;
inline constexpr u32 heap_cell_bits = 24;

/// Whether a run with a parallel heap continues; how it ended is in astar_slots_control::status.
enum class heap_run : u32 { running = 0, ended, timed_out, aborted };

/// All zero at the start of a run.
struct astar_heap_control {
  alignas(128) u32 generation;  ///< barriers that all blocks have passed
  u32 run;                      ///< heap_run
  u32 host_abort;               ///< set by the host to stop the run
  u32 unused;
  alignas(128) u32 arrived;  ///< blocks at the barrier, over all barriers
  alignas(128) u32 inputs;   ///< elements of the input of the heap
  u32 starts;                ///< searches that start in a step
};

struct astar_heap_arguments {
  astar_slots_arguments searches;
  mlmq::parallel_heap_storage<u64> heap;
  astar_heap_control* heap_control;
  u32* slot_of_search;  ///< one per search; no_search: it does not run; all ones at the start of a run
  u64* first_of_slot;   ///< one per slot: least removed element of its search; all ones at the start of a run
};

/// Returns how many elements a step removes, and how many searches start in it. Each of them may open eight cells,
/// which all fit into a node.
constexpr u32 heap_removals(u32 node) { return node / 16; }

/// Place of the barrier's words in shared memory, behind a word for each warp.
inline constexpr u32 heap_barrier_offset = 128;
inline constexpr u32 heap_shared_bytes = heap_barrier_offset + 16;
