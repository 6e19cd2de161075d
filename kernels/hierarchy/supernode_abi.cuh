// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel supernode_search.cu.
#pragma once

#include "multi_source/multi_source_abi.cuh"

namespace mlmq {

inline constexpr u32 no_vertex = 0xFFFFFFFFu;

/// A vertex at its position in an elimination. It has the level of its parent if its upper neighbours are the parent
/// and the upper neighbours of the parent, and otherwise the next one. Connected vertices of one level are a supernode.
struct alignas(16) supernode_vertex {
  u32 first_arc;  ///< upper neighbours by ascending position, so that those of the same level are last
  u32 arcs;
  u32 same_level;  ///< upper neighbours of the same level
  u32 next;        ///< the first ancestor of another level, or no_vertex
};

/// Words of all blocks, and of all launches of a run.
struct supernode_control {
  alignas(128) u32 arrived;  ///< of the barrier of all blocks, like `generation`; zero at the start of a launch
  alignas(128) u32 generation;
  alignas(128) u64 begin_ns;  ///< when the run began; zero at the start of a run
};

/// Vertices are positions, except in `stored_distances` and answers. Searches are columns: up to MLMQ_COLUMNS.
struct supernode_arguments {
  const supernode_vertex* vertices;
  const u32* heads;              ///< upper neighbour of each arc
  const u32* upward;             ///< length of a shortest path along each arc
  const u32* downward;           ///< length of a shortest path against each arc
  const u32* graph_vertices;     ///< number in the graph of each vertex
  const u32* order;              ///< vertices by level; of each level those with more than narrow_arcs arcs come first
  const u32* level_bounds;       ///< per level: positions in `order` of the first vertex, and of the first narrow one
  const u32* source_positions;   ///< one per search
  u32* from_below;               ///< MLMQ_COLUMNS words per vertex: results of upward searches
  u32* distances;                ///< MLMQ_COLUMNS words per vertex
  multi_source_answer* answers;  ///< one per search, or null; zero at the start of a run
  u32* stored_distances;         ///< vertex_count words per search, or null
  const u32* target_positions;
  u32* target_distances;  ///< target_count words per search, or null
  multi_source_control* control;
  supernode_control* progress;
  u64* counters;  ///< counter_count sums, or null
  u32 searches;
  u32 levels;
  u32 vertex_count;
  u32 target_count;
  u32 cutoff;  ///< vertices farther than this, or not less than no_path, are not reached
  u64 time_limit_ns;
};

/// A vertex with more arcs than this is swept by a whole warp, another one by `narrow_lanes` lanes.
inline constexpr u32 narrow_arcs = 16;
inline constexpr u32 narrow_lanes = 8;
/// Bytes of shared memory of a block.
inline constexpr u32 supernode_shared_bytes = 16;

}  // namespace mlmq
