// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel hierarchy_search.cu.
#pragma once

#include "multi_source/multi_source_abi.cuh"

namespace mlmq {

inline constexpr u32 no_piece = 0xFFFFFFFFu;

/// A vertex for upward searches, at its position: parents come before children, and subtrees are contiguous.
struct alignas(16) ascent_vertex {
  u32 parent;  ///< of a root, its own position
  u32 first_arc;
  u32 arcs;
  u32 depth;
};

/// Upward searches: an arc to the ancestor at depth `key`, with the weight `value`. Sweeps: see sweep_piece.
struct alignas(8) hierarchy_item {
  u32 key;
  u32 value;
};

/// A connected part of the elimination tree, or several whole trees. Its vertices are a stream of items, ancestors
/// first. A vertex has three items, and then one for each arc from an ancestor:
///
///     near arcs | far arcs << 16      slot of its distances | is_stored_row
///     its position                    vertices of its subtree
///     its number in the graph         its depth
///     slot of the ancestor            weight      (a near arc)
///     row of the ancestor             weight      (a far arc)
///
/// A slot holds the distances of an ancestor in shared memory, a row those of a vertex in global memory.
struct alignas(16) sweep_piece {
  u32 first_item;
  u32 vertices;
  u32 first_position;  ///< the subtrees of the piece have these positions
  u32 positions;
  u32 first_boundary;  ///< rows that are copied to the first slots
  u32 boundary_rows;
  u32 parent;     ///< piece that is swept before, or no_piece
  u32 first_row;  ///< row of the first vertex whose distances are stored
};

inline constexpr u32 is_stored_row = 0x80000000u;
/// In the order of pieces: a piece of the next round.
inline constexpr u32 is_next_round = 0x80000000u;

/// Searches are columns, in groups of group_columns(). A lane of a warp has `lane_searches` of them.
constexpr u32 group_columns(u32 lane_searches) { return simt::warp_size * lane_searches; }

/// Warps take tasks from control->next in this order: `searches` upward searches, then sweeps of a piece for a group,
/// then `gathered_tasks` tasks that write results.
///
/// Sweeps are ordered by rounds of `round_groups` groups. The pieces that others wait for are swept one round ahead,
/// between pieces that nothing waits for: order[i] is a piece of the current round or of the next one.
struct hierarchy_arguments {
  const ascent_vertex* vertices;  ///< one per position
  const hierarchy_item* ascent_arcs;
  const sweep_piece* pieces;
  const hierarchy_item* items;
  const u32* boundaries;
  const u32* order;
  const u32* source_positions;   ///< one per column; ~0 for columns without a search
  const u32* column_searches;    ///< search of each column
  u32* from_below;               ///< height x group_columns words for each group: results of upward searches, by depth
  u32* rows;                     ///< row_count x group_columns words for each group
  u32* ascended;                 ///< finished upward searches of each group; zero at the start of a run
  u32* is_swept;                 ///< piece_count words for each group; zero at the start of a run
  u32* swept;                    ///< finished pieces of each group; zero at the start of a run
  multi_source_answer* answers;  ///< one per search, or null; zero at the start of a run
  const u32* vertex_rows;        ///< row of each vertex of the graph (with `stored_distances`)
  u32* stored_distances;         ///< one row of `graph_vertices` words per search, or null
  const u32* target_rows;        ///< row of each target
  u32* target_distances;         ///< target_count words per search, or null
  multi_source_control* control;
  u64* counters;  ///< counter_count sums, or null
  u32 searches;
  u32 groups;
  u32 round_groups;
  u32 order_length;
  u32 piece_count;
  u32 row_count;
  u32 height;
  u32 graph_vertices;
  u32 target_count;
  u32 cutoff;      ///< vertices farther than this are not reached; less than no_path
  u32 warp_words;  ///< shared memory of a warp in words
  u32 sums_only;   ///< 1 if digests of answers are to be sums of distance + 1, else 0
  u64 time_limit_ns;
};

/// Items that a warp reads at a time.
inline constexpr u32 stream_items = simt::warp_size;
/// A warp reads at most this many items after the last one. Arrays of items are longer by as many.
inline constexpr u32 read_ahead_items = 2 * stream_items;
/// Outputs that a gathering task writes for each search of a group.
inline constexpr u32 gathered_outputs = 256;

/// Words of shared memory for the items of a warp, which come first.
inline constexpr u32 hierarchy_item_words = 2 * stream_items;

/// Words of shared memory for each warp: a stream of items, and slots, which the other tasks use as they need.
constexpr u32 hierarchy_warp_words(u32 slots, u32 lane_searches) {
  return hierarchy_item_words + slots * group_columns(lane_searches);
}

}  // namespace mlmq
