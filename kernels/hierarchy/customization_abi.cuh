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

/// An arc of the elimination, and the vertex below.
struct alignas(8) tree_arc {
  u32 arc;
  u32 tail;
};

inline constexpr u32 no_arc = 0xFFFFFFFFu;

/// Lengths of all arcs, from descendant to ancestor and back.
struct arc_lengths {
  u32* upward;
  u32* downward;
};

/// Vertices are positions. The arcs of vertex v are first_arcs[v] … first_arcs[v + 1] - 1, by ascending head.
struct customization_arguments {
  const u32* edge_weights;
  const u32* edge_arcs;  ///< per edge of the graph: twice its arc, plus 1 if it leads downwards, or no_arc
  const u32* first_arcs;
  const u32* heads;
  const tree_arc* level_arcs;  ///< all arcs, by the level of their tails; the levels of ancestors are higher
  const u32* level_offsets;    ///< levels + 1 positions in level_arcs
  arc_lengths within;          ///< over vertices eliminated before both ends
  arc_lengths shortest;        ///< over all vertices
  arc_lengths needed;          ///< `within`, or no_path for arcs that searches do not need
  ascent_vertex* vertices;     ///< `arcs` is written
  hierarchy_item* ascent_arcs;
  customization_control* control;
  u32 edges;
  u32 vertex_count;
  u32 arcs;
  u32 levels;
  u64 time_limit_ns;
};

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
