// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernels of path finding on grids: cells, directions, lengths, arguments.
//
// A cell is row << column_bits | column. Directions are numbered clockwise from east: 0 east, 1 south-east, 2 south, …,
// 7 north-east. Odd directions are diagonal, and d ^ 4 is the opposite of d.
//
// A length counts each straight step as `straight_step` units and each diagonal step as `diagonal_step` units. The
// ratio 114243 / 80782 is a convergent of the continued fraction of √2, and no fraction with a smaller denominator lies
// between the two. Lengths therefore have the same order as the exact sums s + d·√2, as long as their numbers of
// diagonal steps differ by less than 80782. A length of 32 bits has at most 2^32 / 114243 = 37594 diagonal steps, so
// its order is exact and both step counts can be recovered from it. It has at most 53166 straight steps.
#pragma once

#include "queues/small/storage.cuh"
#include "simt/types.cuh"

inline constexpr u32 straight_step = 80782;
inline constexpr u32 diagonal_step = 114243;
/// diagonal_step · diagonal_inverse is 1 modulo straight_step.
inline constexpr u32 diagonal_inverse = 33461;
static_assert(static_cast<u64>(diagonal_step) * diagonal_inverse % straight_step == 1);

inline constexpr u32 no_length = 0xFFFFFFFFu;  ///< length of a cell that no path reaches
inline constexpr u32 no_direction = 8;

/// For each direction d, two bits with 1 + its step in columns, and below in rows.
inline constexpr u32 column_steps = 0x901A;
inline constexpr u32 row_steps = 0x01A9;

/// The start and the goal of one search.
struct astar_pair {
  u32 start;
  u32 goal;
};

/// How a run ended. The first search that does not finish decides.
enum class astar_status : u32 {
  finished = 0,
  out_of_time,
  open_full,    ///< an open list was full
  paths_full,   ///< the memory for paths was full
  length_full,  ///< a length did not fit in 32 bits
};

struct astar_control {
  u32 status;
  u32 abort;  ///< set by the host to stop the run
  u32 next;   ///< next search to start
  u32 unused;
  u64 path_steps;  ///< total number of path steps so far
};

/// Counters of the variants that count, in the order of the words.
/// Only searches of the paper count the last two.
enum class astar_count : u32 {
  expansions,
  stale,
  inserted,
  comparisons,
  batches,
  largest_open,
  open_at_batches,
  open_at_insertions,
  words
};

struct astar_arguments {
  const short* jumps;       ///< for jump point search: one per cell and direction, see jump_search.cuh
  const u8* moves;          ///< one per cell: bit d is set when the step in direction d is legal
  const astar_pair* pairs;  ///< `searches` pairs
  u32* lengths;             ///< one per search
  u64* path_begins;         ///< one per search: where its path begins in `paths`
  u8* paths;                ///< directions from the start, one byte per step
  u64 path_room;
  u64* tables;  ///< `cells` words per warp: stamp and state of each cell; all ones before the first search
  mlmq::small_queue_storage<u64> queues;  ///< open lists that are small queues, one per warp
  u8* far;                                ///< the part of each warp's ring of buckets that is not in shared memory
  u64 far_bytes;                          ///< bytes per warp
  astar_control* control;
  u64* counters;
  u64 limit_ns;  ///< time after which the run stops
  u32 searches;
  u32 cells;  ///< rows << column_bits
  u32 column_bits;
  u32 first_stamp;   ///< search i has stamp first_stamp - i, below all earlier stamps; 24 bits for jump searches
  u32 far_capacity;  ///< number of items of a bucket that fit in `far`
  u32 ring_bytes;    ///< shared memory of a warp's ring of buckets
};
