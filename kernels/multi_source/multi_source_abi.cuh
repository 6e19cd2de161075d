// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the multi-source kernels (block_search.cu, group_search.cu).
#pragma once

#include "fill_in_abi.cuh"
#include "search_abi.cuh"

namespace mlmq {

/// Summary of one search, in numbers that do not depend on the order of summation.
struct multi_source_answer {
  u64 digest;    ///< sum of digest_of() over all reached vertices
  u32 reached;   ///< reached vertices, including the source
  u32 farthest;  ///< the largest distance, or its upper half if distances have 8 bytes
};

/// Returns the factor of a vertex in digests of 4-byte distances. It is odd, so that one wrong distance always changes
/// the digest.
constexpr u64 digest_factor(u32 number) {
  u64 mixed = (static_cast<u64>(number) + 1) * 0x9E3779B97F4A7C15ull;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9ull;
  return (mixed ^ mixed >> 32) | 1;
}

/// Returns the contribution of a vertex with this factor to a digest. With a factor of 1 for all vertices, a digest is
/// the sum of their distances and their number.
constexpr u64 digest_summand(u64 factor, u32 distance) { return factor * (static_cast<u64>(distance) + 1); }

/// Returns the contribution of a vertex and its distance to the digest of an answer: a multilinear hash (Carter and
/// Wegman 1979), for which searches of the same vertex share the factor. Host and device compute it alike.
constexpr u64 digest_of(u32 number, u32 distance) { return digest_summand(digest_factor(number), distance); }

/// Overload for 8-byte distances.
constexpr u64 digest_of(u32 number, u64 distance) {
  u64 mixed = (distance ^ static_cast<u64>(number) * 0xD6E8FEB86659FD93ull) * 0x9E3779B97F4A7C15ull;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9ull;
  return mixed ^ mixed >> 32;
}

/// Control words; zero at the start of a run.
struct multi_source_control {
  alignas(128) u32 next;        ///< the first search that has not started
  alignas(128) u32 status;      ///< run_status, written once
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
};

/// Words of a part of the grid (group_search.cu); zero at the start of a run.
struct part_control {
  alignas(128) u32 arrived;
  alignas(128) u32 generation;
  alignas(128) u32 group;      ///< group that the part searches
  alignas(128) u32 pieces[3];  ///< waiting rows of a round, in rotation
  /// Complements of the distance of each search's farthest target, as known before a round; three rounds in rotation.
  /// For distances of 8 bytes, complements of keys.
  alignas(128) u32 farthest_targets[3][simt::warp_size];
};

/// A piece of a row: the edges of a vertex from `first` on, at most piece_edges.
struct row_piece {
  u32 vertex;
  u32 first;
};

/// The start of a search in the core of a reduced graph.
struct core_start {
  u32 offset;        ///< to be added to all distances of the core
  u32 inside_begin;  ///< vertices in the fragment of the source
  u32 inside_end;
};

/// Where a search begins in the core of a reduced graph. If it has been reduced twice, `outer` is of the core that the
/// first reduction left.
struct core_search {
  u32 seeds_begin;
  u32 seeds_end;
  core_start of_graph;
  core_start outer;
};

/// If `graph_vertices` is not null, the device numbers vertices differently: sources, targets, edges and `distances`
/// use the numbers of the device, answers and `stored_distances` those of the graph.
///
/// Search `i` starts at `sources[i]` and writes `answers[i]`. A slot is the memory of one running search. Distances of
/// 8 bytes are u64 at the addresses below.
struct multi_source_arguments {
  const void* offsets;        ///< n+1 row starts, u32
  const void* edges;          ///< m words as in edges.cuh
  const void* ell_rows;       ///< ell_width words per row (variants with MLMQ_ELL_WIDTH), or packed words of u32
  const u32* graph_vertices;  ///< block_search: the graph's number of each vertex, or null: the numbers are the graph's
  const u32* device_vertices;  ///< block_search: the device's number of each vertex of the graph, or null
  const u32* sources;
  const u32* search_order;  ///< block_search: order in which the searches start, or null: by number
  u32* distances;           ///< n words per slot, unless `stored_distances` has them; group_search: 32 n words per part
  u32* stored_distances;    ///< n words per search, or null: distances are not stored
  multi_source_answer* answers;  ///< one per search
  const u32* targets;
  u32* target_distances;  ///< target_count words per search, or null
  u64* near_piles;        ///< block_search: two of near_capacity elements per slot
  u64* far_piles;         ///< block_search: two of far_capacity elements per slot
  u32* stamps;            ///< group_search: n words per part
  row_piece* pieces;      ///< group_search: two of piece_capacity per part
  multi_source_control* control;
  part_control* parts;  ///< group_search: one per part
  u64* counters;        ///< counter_count sums, or null
  u32 vertices;
  u32 searches;
  u32 target_count;
  u32 delta;   ///< Δ, a distance: 32 bits of the weight type, or the key of 8 bytes (distance_width.cuh)
  u32 cutoff;  ///< vertices farther than this are not reached
  u32 near_capacity;
  u32 far_capacity;
  u32 piece_capacity;
  u32 part_count;
  u32 packed_weight_bits;  ///< low bits of a word of a packed row that hold the weight (packed_rows.cuh)
  u64 time_limit_ns;
  u64 wide_cutoff;  ///< replaces `cutoff` for 8-byte distances
};

/// Arguments of variants with MLMQ_REDUCED. `vertices` and all rows are those of the core; targets, answers and stored
/// distances are those of the graph, and stored_distances has graph_size words per search. If the graph has been
/// reduced twice, the core that the first reduction left is the outer core.
struct core_search_arguments : multi_source_arguments {
  const core_search* core_searches;  ///< in place of `sources`
  const search_seed* seeds;
  const fill_row* fill_rows;    ///< one per vertex of the graph, with ends in the outer core if there is one
  const fill_row* outer_rows;   ///< rows_per_vertex for each vertex of the outer core
  const inside_length* inside;  ///< vertices in the fragments of the sources; of the graph with targets, their numbers
  const u32* end_targets;       ///< vertices of the core from which the targets are filled in
  u32* inside_marks;            ///< a bit per vertex of the graph, for each slot; zero between searches
  u32* outer_distances;         ///< outer_size words per slot
  u32 end_target_count;
  u32 graph_size;
  u32 outer_size;  ///< vertices of the outer core; 0: there is none
  u32 rows_per_vertex;
};

/// Words that the threads of a block of block_search share.
struct block_search_words {
  u64 digest;
  u64 deadline;
  u32 near[4];      ///< elements of the frontiers of three rounds, in rotation; a power of two is quicker to index
  u32 has_long[4];  ///< whether the frontier has long rows
  u32 far;          ///< elements of the far pile
  u32 far_min;      ///< no element of the far pile is shorter
  u32 search;       ///< search of the block
  u32 stop;         ///< the run is over
  u32 open;         ///< whether any target is not settled yet
  u32 reached;
  u32 farthest;
  u32 raises;     ///< increases of the threshold, over all searches of the block
  u32 far_index;  ///< index of the far pile that is appended to
};

/// Dynamic shared memory of a block of block_search.
constexpr u32 block_search_bytes(u32 near_items) {
  return (static_cast<u32>(sizeof(block_search_words)) + 15) / 16 * 16 + 2 * near_items * static_cast<u32>(sizeof(u64));
}

/// Words that the threads of a block of group_search share. If distances are stored, each warp also has a tile of 32 x
/// 33 words.
struct group_search_words {
  u64 digests[simt::warp_size];
  u64 deadline;
  u32 reached[simt::warp_size];
  u32 farthest[simt::warp_size];
  u32 value;
  u32 continues;
};

inline constexpr u32 tile_words = simt::warp_size * (simt::warp_size + 1);

constexpr u32 group_search_bytes(u32 threads, bool keeps) {
  const u32 tiles = keeps ? threads / simt::warp_size * tile_words * static_cast<u32>(sizeof(u32)) : 0;
  return (static_cast<u32>(sizeof(group_search_words)) + 15) / 16 * 16 + tiles;
}

/// Largest number of edges of a row piece in group_search.
inline constexpr u32 piece_edges = 256;

}  // namespace mlmq
