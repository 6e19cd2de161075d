// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel `push_pull`: arguments, control words, the layout of shared memory.
#pragma once

#include "search_abi.cuh"
#include "supersteps/progress_abi.cuh"

namespace mlmq::push_pull {

/// A part of the row of a found vertex: the position of its first edge and its number of edges, at least one. A level
/// is expanded by the pieces of its vertices' rows, without the numbers of the vertices.
using piece = u64;
inline constexpr u32 piece_begin_bits = 44;
inline constexpr u32 most_piece_edges = (1u << (64 - piece_begin_bits)) - 1;

/// The words of one superstep. Four sets are used in rotation: during superstep k, block 0 clears those of k+1. It has
/// passed the barrier of k-1 or, if it went through k-1 alone, of k-2; so all blocks have left the barrier of k-3,
/// which used the same set.
struct alignas(128) step_words {
  u64 progress;  ///< see superstep_progress
  u64 edges;     ///< edges of the pieces that were found
  u32 claimed;   ///< pieces that were claimed after the first share of every warp
};

/// The kind of the next superstep.
enum class step_kind : u32 {
  narrow,      ///< block 0 continues alone
  push,        ///< the vertices of the level look at their neighbours
  gather,      ///< the sets of vertices are made from the distances
  pull_first,  ///< like pull, by the distances; also makes the sets
  pull,        ///< vertices that have not been found look for a neighbour in the level
  end
};

/// The next step of all blocks, written by block 0 after levels of its own.
struct alignas(128) shared_state {
  u32 next;          ///< the next step_kind
  u32 level;         ///< level of the frontier
  u32 pieces;        ///< number of pieces of the frontier
  u64 edges_before;  ///< number of edges of the level before the frontier
  u64 edges;         ///< number of edges of the frontier
  u64 rest;          ///< number of edges of all rows that have not been expanded, including the frontier's
};

/// All global control words of a search; zero at the start of a query. A kernel resets those of the next one.
struct control_words {
  alignas(128) u32 status;      ///< run_status, written once
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
  step_words steps[4];
  alignas(128) u32 resumed;  ///< number of times that block 0 has called the others
  shared_state state;
};

/// Arguments of the kernel `push_pull`.
struct arguments {
  const void* offsets;     ///< n+1 row starts: u32, or u64 in variants with wide offsets
  const u32* edges;        ///< targets
  const void* in_offsets;  ///< the same for the reversed edges; for a symmetric graph the same arrays
  const u32* in_edges;     ///< null: no level is pulled
  u32* distances;          ///< n + 1; all `unreached` at the start unless the kernel fills them; the last remains so
  control_words* control;
  control_words* next_control;  ///< words of the next kernel
  piece* pieces;                ///< room for the pieces of all rows
  /// Two sets of vertices, one bit per vertex, set_words(n) words each; like `open`, only for levels that are pulled.
  u32* seen;
  u32* open;      ///< vertices that can still be found, and have incoming edges
  u64* counters;  ///< counter_count sums, or null
  u64 edge_count;
  u64 time_limit_ns;
  u32 vertex_count;
  u32 piece_edges;  ///< edges of a piece of a row that is cut
  u32 long_row;     ///< rows with more edges are cut
  u32 source;
  u32 one_block;        ///< maximum number of pieces of a level that block 0 expands alone
  u32 one_block_edges;  ///< maximum number of edges of such a level
  u32 pull_share;       ///< a level is pulled when it has more than 1/pull_share of the rest's edges
  u32 pull_edges;       ///< minimum number of edges of a level that is pulled
  u32 gathers;     ///< whether the sets are made in a separate step before a pulled level that follows a pushed one
  u32 fills;       ///< whether block 0 fills the distances
  u32 read_edges;  ///< in levels with at least this many edges, a distance is read before it is lowered by an atomic
};

/// Number of words of a set of `vertices` vertices.
constexpr u32 set_words(u32 vertices) { return vertices / simt::warp_size + 1; }

/// Pieces that a warp keeps in shared memory before it writes them.
inline constexpr u32 stage_pieces = 128;

/// Words of a set whose vertices a warp pulls for at a time.
inline constexpr u32 most_group_words = 32;

/// Totals of the warps of a block.
struct block_sum {
  u64 edges;
  u32 pieces;    ///< staged pieces
  u32 overflow;  ///< whether others are in global memory already
};

/// Words that the warps of a block exchange.
struct block_words {
  block_sum sums[4];  ///< used in rotation
  u64 base;           ///< position of the block's pieces
  u64 edges;          ///< results of the superstep
  u64 deadline;       ///< block 0, thread 0 only
  u32 pieces;
  u32 stop;     ///< the run ends
  u32 is_over;  ///< block 0, thread 0 only: whether the run must end
  u32 calls;    ///< number of calls by block 0 so far
};

/// Largest level that fits into the shared memory of one block: the pieces that its warps can stage.
constexpr u32 pieces_in_block(u32 threads) { return threads / simt::warp_size * stage_pieces; }

/// Shared memory of a warp for the rows of a batch: one position per row.
inline constexpr u32 batch_bytes = simt::warp_size * static_cast<u32>(sizeof(u64));
/// Shared memory of a warp for two levels of block 0 alone; or, while all blocks pull, for the vertices of a group and
/// marks of the found ones.
inline constexpr u32 level_bytes = 2 * stage_pieces * static_cast<u32>(sizeof(piece));
inline constexpr u32 group_vertices = most_group_words * simt::warp_size;
static_assert(group_vertices / 2 * sizeof(u32) + most_group_words * sizeof(u32) <= level_bytes + batch_bytes);

/// Dynamic shared memory of a block of `threads` threads.
constexpr u32 shared_bytes(u32 threads) {
  return static_cast<u32>(sizeof(block_words)) +
         threads / simt::warp_size * (batch_bytes + level_bytes + stage_pieces * static_cast<u32>(sizeof(piece)));
}

}  // namespace mlmq::push_pull
