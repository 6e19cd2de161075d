// SPDX-License-Identifier: Apache-2.0
// What the host and the SSSP kernel agree on: arguments, global control words, the layout of shared memory.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Largest number of rings of a global queue: the manager looks at each with one lane.
inline constexpr u32 max_rings = simt::warp_size;

/// Content of a ring slot that holds no element (no vertex has this number).
inline constexpr u64 empty_slot = ~0ull;

/// A distance larger than any that is reached.
inline constexpr u32 unreached = 0xFFFFFFFFu;

/// Why the search ended, in control_block::status.
enum class run_status : u32 { running = 0, finished = 1, timed_out = 2, aborted = 3, queue_full = 4 };

/// The counts of one part of a global queue. Of a ring, positions only grow (modulo 2^32) and index the slots modulo the
/// capacity. A line of its own, because every push and every claim is an atomic on it.
struct alignas(128) ring_control {
  /// x: taken (of a ring its head, positions claimed); y: written (its tail, positions reserved); z: what couriers have
  /// been promised or are asking for (rings only); w: unused.
  simt::quad words;
};

/// All global control words of a search; zero at the start of a query.
struct control_block {
  alignas(128) u32 status;      ///< run_status, written once
  alignas(128) u32 base;        ///< lowest bucket that may hold work (bucket queue)
  alignas(128) u32 beyond;      ///< lowest bucket met beyond the window since the last jump over empty windows
  alignas(128) u32 done;        ///< elements taken from the rings whose consequences have all been written
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
  ring_control rings[max_rings];
};

/// What the work counters count, in the order of the counter array. Present only in variants with counters.
enum class counter : u32 {
  pops,         ///< elements read by workers
  stale_pops,   ///< of these, already outdated by a shorter distance
  resplits,     ///< of these, sent back because their bucket is not open yet
  relaxations,  ///< edges looked at
  updates,      ///< edges that lowered a distance
  distance_atomics,
  row_parts,     ///< parts of split rows given to L2
  further_rows,  ///< further rows in place written as elements
  l0_writes,     ///< elements written to the level
  l0_reads,
  l1_writes,
  l1_reads,
  l1_spills,  ///< elements moved from L1 to L2 by a full queue or a periodic flush
  l2_writes,
  l2_reads,
  l2_claims,        ///< batches handed to workers
  queue_atomics,    ///< atomics on heads, tails and slots of L2
  polls,            ///< looks at the rings by the blocks' couriers
  supersteps,       ///< of bulk-synchronous solvers
  bucket_switches,  ///< how often ADDS went on to the next buckets
  delta_changes,    ///< how often ADDS changed Δ
  count
};
inline constexpr u32 counter_count = static_cast<u32>(counter::count);

/// Targets in rows that lie in place (edges.cuh) that are no vertices.
inline constexpr u32 no_edge = 0xFFFFFFFFu;
inline constexpr u32 long_row = 0xFFFFFFFEu;
/// With this bit, the number of the row in place that holds more edges of the same vertex.
inline constexpr u32 continuation = 0x80000000u;

/// A vertex of so high a degree that its row is split: parts first_part, first_part + 1, … in `row_parts`.
struct split_row {
  u32 vertex;
  u32 first_part;
  u32 part_count;
  u32 unused;
};

/// A piece of a split row, relaxed like a row of its own. In the queues it is the element of vertex
/// search_arguments::first_part + its index.
struct row_part {
  u64 first_edge;
  u32 degree;
  u32 vertex;
};

/// Arguments of the kernels `sssp` and `bfs`.
struct search_arguments {
  const void* offsets;        ///< n+1 row starts: u32, or u64 in variants with wide offsets
  const void* edges;          ///< m words as in edges.cuh
  const void* rows_in_place;  ///< row_slots words for each vertex, as in edges.cuh (variants with MLMQ_ROW_SLOTS)
  u32* distances;             ///< n + 1, all `unreached` at the start; the last remains so
  control_block* control;
  u64* slots;                   ///< ring r owns slots[r * capacity …], all `empty_slot` between queries
  const split_row* split_rows;  ///< split_row_count, by ascending vertex (variants with MLMQ_SPLIT_DEGREE)
  const row_part* row_parts;
  u64* counters;      ///< counter_count sums, or null
  u32 capacity_mask;  ///< capacity of a ring - 1; the capacity is a power of two
  u32 source;
  u32 vertex_count;
  u32 first_part;  ///< vertices and further rows in place: from here on, elements are parts of split rows
  u32 split_row_count;
  float buckets_per_distance;  ///< 1 / Δ of the bucket queue
  u32 l1_width;                ///< Δ of the near-far, F of the filter queue: a distance, 32 bits of the weight type
  u32 near_far_start;          ///< NF before the first split, likewise
  u64 time_limit_ns;
  u64 full_wait_ns;  ///< how long a writer waits for a slot before it declares the queue full
};

/// Shared memory of a block: first the words through which the block's courier and its workers talk, then one region
/// for each worker warp.
struct block_words {
  u32 status;
  u32 base;
  u32 unused[2];
  u64 mailbox[simt::warp_size];  ///< one for each worker warp
};

/// One row of the batch that a warp is relaxing.
struct row_entry {
  u64 edge_base;  ///< position of the row's first edge minus the row's place in the batch
  u32 distance;
  u32 unused;
};

/// The shared memory of one worker warp.
struct worker_memory {
  row_entry* rows;  ///< 32
  u64* exchange;    ///< 32, of the L0 queue
  u64* delivered;   ///< 32, written by the courier
  u64* l1_storage;  ///< of the warp, or of the block where L1 is shared
};

/// Bytes of a worker warp's region without an L1 queue of its own.
inline constexpr u32 warp_region_bytes =
    simt::warp_size * (static_cast<u32>(sizeof(row_entry)) + 2 * static_cast<u32>(sizeof(u64)));

/// Dynamic shared memory of a block of `threads` threads: warp 0 is the courier, the others are workers.
/// @param l1_words 64-bit words of an L1 queue; 0 for none
/// @param l1_is_shared one for the block, else one for each worker warp
constexpr u32 block_shared_bytes(u32 threads, u32 l1_words, bool l1_is_shared) {
  const u32 workers = threads / simt::warp_size - 1;
  return static_cast<u32>(sizeof(block_words)) + workers * warp_region_bytes +
         (l1_is_shared ? 1 : workers) * l1_words * static_cast<u32>(sizeof(u64));
}

/// Before the elements of an L1 queue of a block. Lock and size are accessed by atomics, the state under the lock.
struct l1_block_words {
  u32 lock;  ///< 0: free
  u32 size;
  u32 state[14];
};

}  // namespace mlmq
