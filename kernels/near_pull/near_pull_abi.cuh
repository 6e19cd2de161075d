// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel `near_pull`: arguments, control words, the layout of shared memory.
#pragma once

#include "near_rows_abi.cuh"
#include "search_abi.cuh"
#include "supersteps/progress_abi.cuh"

namespace mlmq::near_pull {

/// A part of the row of a vertex whose distance was lowered.
struct alignas(16) piece {
  u64 row;     ///< position of the first edge; the number of edges above piece_begin_bits
  u64 vertex;  ///< the vertex; its distance is read when the piece is relaxed
};
inline constexpr u32 piece_begin_bits = 44;
inline constexpr u32 most_piece_edges = (1u << (64 - piece_begin_bits)) - 1;

/// Number of limits, distances up to which vertices are settled before the others pull.
inline constexpr u32 limit_count = near_limits;

/// The words of one superstep. Four sets are used in rotation: before block 0 arrives at the barrier of superstep k, it
/// clears those of k+1. All blocks have arrived at the barrier of k-1, so all have left that of k-3, which used the
/// same set.
struct alignas(128) step_words {
  u64 progress;  ///< see superstep_progress
  u64 edges;     ///< edges of the vertices whose distances were lowered
  u32 claimed;   ///< pieces that were claimed after the first share of every warp
  u32 outer;     ///< whether an edge was not relaxed because it leads beyond the limit
};

/// The kind of the next superstep.
enum class step_kind : u32 {
  push,    ///< relax the edges of the frontier
  gather,  ///< relax the edges of all vertices that have a distance
  pull,    ///< the vertices beyond the limit look through their incoming edges
  end
};

/// All global control words of a search; zero at the start of a query. A kernel resets those of the next one.
struct control_words {
  alignas(128) u32 status;      ///< run_status, written once
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
  step_words steps[4];
};

/// Arguments of the kernel `near_pull`.
struct arguments {
  const void* offsets;     ///< n+1 row starts: u32, or u64 in variants with wide offsets
  const void* edges;       ///< near_rows_arguments::near_edges
  const u32* near_counts;  ///< near_rows_arguments::near_counts
  const void* in_offsets;  ///< the same for the reversed edges
  const void* in_edges;    ///< null: nothing is pulled
  u32* distances;          ///< n + 1, reset by the kernel; u64 if distances have 8 bytes
  u32* stamps;             ///< n: the superstep in which a vertex last joined the frontier; reset by the kernel
  control_words* control;
  control_words* next_control;  ///< words of the next kernel
  piece* pieces;                ///< two frontiers
  u64* counters;                ///< counter_count sums, or null
  u64 edge_count;
  u64 frontier_capacity;    ///< pieces
  u64 limits[limit_count];  ///< ascending distances
  u64 time_limit_ns;
  u32 vertex_count;
  u32 piece_edges;  ///< edges of a piece of a row that is cut
  u32 long_row;     ///< rows with more edges are cut
  u32 source;
  u32 pull_share;  ///< the rest pulls when the settled vertices have more than 1/pull_share of its edges
};

/// Pieces that a warp keeps in shared memory before it writes them.
inline constexpr u32 stage_pieces = 128;

/// Largest number of vertices that a warp looks at together. The memory of a batch's rows lists those that pull.
inline constexpr u32 pull_vertices = simt::warp_size * static_cast<u32>(sizeof(row_entry) / sizeof(u32));

/// Totals of the warps of a block.
struct block_sum {
  u64 edges;
  u32 pieces;  ///< staged pieces
  u32 outer;
};

/// Words that the warps of a block exchange.
struct block_words {
  block_sum sums[4];  ///< used in rotation
  u64 base;           ///< position of the block's pieces
  u64 edges;          ///< results of the superstep, like the next two
  u64 pieces;
  u64 deadline;  ///< block 0, thread 0 only
  u32 outer;
  u32 stop;     ///< the run ends
  u32 is_over;  ///< block 0, thread 0 only: whether the run must end
  u32 unused;
};

/// Shared memory of a warp for the rows of a batch, and for its stage.
inline constexpr u32 warp_bytes =
    simt::warp_size * static_cast<u32>(sizeof(row_entry)) + stage_pieces * static_cast<u32>(sizeof(piece));

/// Dynamic shared memory of a block of `threads` threads.
constexpr u32 shared_bytes(u32 threads) {
  return static_cast<u32>(sizeof(block_words)) + threads / simt::warp_size * warp_bytes;
}

}  // namespace mlmq::near_pull
