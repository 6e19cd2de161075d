// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the search kernels: arguments and counters.
#pragma once

#include "fill_in_abi.cuh"
#include "queues/storage.cuh"

namespace mlmq {

/// A distance that is larger than that of any reached vertex.
inline constexpr u32 unreached = 0xFFFFFFFFu;

/// Work counters, in the order of the counter array. Present only in variants with counters.
enum class counter : u32 {
  pops,         ///< elements read by workers
  stale_pops,   ///< of these, already outdated by a shorter distance
  resplits,     ///< of these, sent back because their bucket is not open yet
  relaxations,  ///< edges looked at
  updates,      ///< edges that lowered a distance
  distance_atomics,
  row_segments,  ///< segments of split rows, given to L2
  ell_overflow,  ///< ELL overflow rows written as elements
  l0_writes,     ///< elements written to the level
  l0_reads,
  l1_writes,
  l1_reads,
  l1_spills,  ///< elements moved from L1 to L2 by a full queue or a periodic flush
  l2_writes,
  l2_reads,
  l2_claims,        ///< batches handed to workers, or taken by them
  queue_atomics,    ///< atomics on heads, tails and slots of L2
  polls,            ///< reads of L2's words by the blocks' dispatchers, or by workers that read L2 themselves
  supersteps,       ///< supersteps of bulk-synchronous solvers
  bucket_switches,  ///< how often ADDS moved on to the next buckets
  delta_changes,    ///< how often Δ was changed
  count
};
inline constexpr u32 counter_count = static_cast<u32>(counter::count);

/// Targets in ELL rows (edges.cuh) that are not vertices.
inline constexpr u32 no_edge = 0xFFFFFFFFu;
inline constexpr u32 long_row = 0xFFFFFFFEu;
/// With this bit set, a target is the number of the ELL row that holds more edges of the same vertex.
inline constexpr u32 continuation = 0x80000000u;

/// A vertex with such a high degree that its row is split: segments first_segment, first_segment + 1, … in
/// `row_segments`.
struct split_row {
  u32 vertex;
  u32 first_segment;
  u32 segment_count;
  u32 unused;
};

/// A piece of a split row, which is relaxed like a whole row. In the queues it is the element of vertex
/// search_arguments::first_segment + its index.
struct row_segment {
  u64 first_edge;
  u32 degree;
  u32 vertex;
};

/// Arguments of the kernels `sssp` and `bfs`. Those of the queues are the members of queue_storage
/// (queues/storage.cuh). Their order must not change, because offsets of arguments are part of the machine code that
/// recorded measurements belong to.
struct search_arguments {
  const void* offsets;          ///< n+1 row starts: u32, or u64 in variants with wide offsets
  const void* edges;            ///< m words as in edges.cuh
  const void* ell_rows;         ///< ell_width words for each vertex, as in edges.cuh (variants with MLMQ_ELL_WIDTH)
  u32* distances;               ///< n + 1, all `unreached` at the start; the last remains so
  queue_control* control;       ///< of the queue
  u64* slots;                   ///< of the queue
  const split_row* split_rows;  ///< split_row_count, by ascending vertex (variants with MLMQ_SPLIT_DEGREE)
  const row_segment* row_segments;
  u64* counters;      ///< counter_count sums, or null
  u32 capacity_mask;  ///< of the queue
  u32 source;
  u32 vertex_count;
  u32 first_segment;  ///< vertices and ELL overflow rows: from here on, elements are segments of split rows
  u32 split_row_count;
  float buckets_per_key;  ///< of the queue, whose keys are distances
  u32 l1_width;           ///< of the queue, as are the next three
  u32 near_far_start;
  u64 time_limit_ns;
  u64 full_wait_ns;
  u32 seed_count;  ///< vertices to start from in place of `source` (variants with MLMQ_SEVERAL_SEEDS)
  search_seed seeds[most_seeds];
};

/// One row of the batch that a warp is relaxing.
struct row_entry {
  u64 edge_base;  ///< position of the row's first edge minus the row's offset in the batch
  u32 distance;
  u32 unused;
};

/// Shared memory of each worker warp for the rows of its batch.
inline constexpr u32 row_bytes = simt::warp_size * static_cast<u32>(sizeof(row_entry));

/// Dynamic shared memory of a block of `threads` threads, as in queues/storage.cuh.
constexpr u32 block_shared_bytes(u32 threads, u32 l1_words, bool l1_is_shared) {
  return queue_shared_bytes<u64, row_bytes>(threads, l1_words, l1_is_shared);
}

}  // namespace mlmq
