// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernels hierarchy_weights.cu and piece_weights.cu.
#pragma once

#include "hierarchy/hierarchy_abi.cuh"

namespace mlmq {

/// Control words; zero at the start of a run.
struct customization_control {
  alignas(128) u32 status;      ///< run_status, written once
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
  alignas(128) u32 arrived;     ///< of the barrier of all blocks
};

inline constexpr u32 no_arc = 0xFFFFFFFFu;

/// Lengths of all arcs, from descendant to ancestor and back.
struct arc_lengths {
  u32* upward;
  u32* downward;
};

inline constexpr u32 most_panel_columns = 16;

/// Consecutive vertices of a path in the tree, its columns from the root on, such that each has arcs to the ones before
/// and to the same other ancestors, which are the rows of the panel. The arcs of a column are those to rows, by
/// ascending position, and then those to columns.
struct alignas(16) elimination_panel {
  u32 first_column;  ///< in customization_arguments::columns
  u32 columns;       ///< at most most_panel_columns
  u32 first_row;     ///< in customization_arguments::rows
  u32 rows;
};

/// A row of a panel. Its vertex has arcs to all rows before it: that to row `i` is first_arc + places[first_place + i].
struct alignas(8) panel_row {
  u32 first_arc;
  u32 first_place;
};

/// Pairs of tile_near_rows rows with warp_size rows, of which the second one is before the first one.
struct alignas(8) panel_tile {
  u32 panel;
  /// The first near row, and the first far row times 2^16. A vertex has less than 2^16 arcs, since its upper neighbours
  /// have arcs to each other.
  u32 first_rows;
};
inline constexpr u32 tile_near_rows = 4;

/// Rows `first_row` to first_row + warp_size - 1 of a panel of several columns. Columns except for the last one count
/// as further rows.
struct alignas(8) panel_strip {
  u32 panel;
  u32 first_row;
};

/// Panels have levels; those of ancestors are higher.
struct customization_arguments {
  const u32* edge_weights;
  const u32* edge_arcs;   ///< per edge of the graph: twice its arc, plus 1 if it leads downwards, or no_arc
  const u32* first_arcs;  ///< vertices + 1: by position, see ascent_vertex
  const u32* heads;       ///< position of the upper neighbour of each arc
  const elimination_panel* panels;
  const u32* columns;  ///< the first arc of the vertex of each column
  const panel_row* rows;
  const u32* places;
  const panel_tile* tiles;    ///< of all panels, by level
  const panel_strip* strips;  ///< of all panels of several columns, by level
  const u32* level_tiles;     ///< levels + 1 positions in `tiles`
  const u32* level_strips;    ///< levels + 1 positions in `strips`
  arc_lengths within;         ///< over vertices eliminated before both ends
  arc_lengths shortest;       ///< over all vertices
  arc_lengths needed;         ///< `within`, or no_path for arcs that searches do not need; see MLMQ_NEEDED_ARCS
  ascent_vertex* vertices;    ///< `arcs` is written
  hierarchy_item* ascent_arcs;
  customization_control* control;
  u32 edges;
  u32 vertex_count;
  u32 arcs;
  u32 levels;
  u64 time_limit_ns;
};

/// Words of shared memory that the barrier of the grid uses.
inline constexpr u32 customization_barrier_words = 4;
/// Returns the bytes of shared memory of a block: each warp has a matrix of the columns of a panel.
constexpr u32 customization_shared_bytes(u32 warps) {
  return 4 * (customization_barrier_words + warps * most_panel_columns * most_panel_columns);
}

/// Replaces numbers of arcs by weights. In `drafts`, each vertex has items for all its arcs, whose second words are
/// numbers of arcs; `items` receives those that are needed.
struct piece_weights_arguments {
  const sweep_piece* pieces;
  const hierarchy_item* drafts;
  const u32* weights;  ///< customization_arguments::needed.downward
  hierarchy_item* items;
  u32 piece_count;
};

}  // namespace mlmq
