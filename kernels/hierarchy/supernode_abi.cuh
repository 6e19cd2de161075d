// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel supernode_search.cu.
#pragma once

#include "multi_source/multi_source_abi.cuh"

namespace mlmq {

inline constexpr u32 no_vertex = 0xFFFFFFFFu;

/// A vertex of an elimination. It has the level of its parent if its upper neighbours are the parent and the upper
/// neighbours of the parent, and otherwise the next one. Connected vertices of one level are a supernode.
struct alignas(16) supernode_vertex {
  u32 first_arc;  ///< upper neighbours by ascending depth, so that those of the same level are last
  u32 arcs;
  u32 same_level;  ///< upper neighbours of the same level: as many ancestors, from the parent on
  u32 next;        ///< the first ancestor of another level, or no_vertex
};

/// Words of all blocks, and of all launches of a run.
struct supernode_control {
  alignas(128) u32 arrived;   ///< of the barrier of all blocks; zero at the start of a launch
  alignas(128) u64 begin_ns;  ///< when the run began; zero at the start of a run
};

/// Vertices are numbered level by level, except in `stored_distances` and answers. Of each level, those with more than
/// narrow_arcs arcs come first. Searches are columns: up to MLMQ_COLUMNS.
struct supernode_arguments {
  const supernode_vertex* vertices;
  const u32* depths;          ///< number of ancestors of each vertex
  const u32* heads;           ///< upper neighbour of each arc
  const u32* upward;          ///< length of a shortest path along each arc
  const u32* downward;        ///< length of a shortest path against each arc
  const u32* graph_vertices;  ///< number in the graph of each vertex
  const u32* level_bounds;    ///< per level: the first vertex, and the first narrow one; then the number of vertices
  const u32* sources;         ///< one per search
  u32* lowest;                ///< lowest vertex of the path of each search at each of the `wide_levels`, or no_vertex
  u32* from_below;            ///< MLMQ_COLUMNS words per vertex: results of upward searches
  u32* distances;             ///< MLMQ_COLUMNS words per vertex
  multi_source_answer* answers;  ///< one per search, or null; zero at the start of a run
  u32* stored_distances;         ///< vertex_count words per search, or null
  const u32* targets;
  u32* target_distances;  ///< target_count words per search, or null
  multi_source_control* control;
  supernode_control* progress;
  u64* counters;  ///< counter_count sums, or null
  u32 searches;
  u32 levels;
  u32 wide_levels;  ///< levels from the top on that all blocks search upwards, not one block per source
  u32 height;       ///< vertices of the longest path in the tree
  u32 vertex_count;
  u32 target_count;
  u32 cutoff;  ///< vertices farther than this are not reached; less than no_path
  u64 time_limit_ns;
};

/// A vertex with more arcs than this is swept by a whole warp, another one by `narrow_lanes` lanes.
inline constexpr u32 narrow_arcs = 16;
inline constexpr u32 narrow_lanes = 8;

/// Words of shared memory that the barrier of the grid uses.
inline constexpr u32 supernode_barrier_words = 4;

/// Returns the bytes of shared memory of a block: for each vertex of a path its distance, number, first arc and number
/// of arcs, for each level of the path its lowest vertex and the depth of its highest one, and the bounds of levels.
constexpr u32 supernode_shared_bytes(u32 height, u32 levels) {
  return 4 * (supernode_barrier_words + 4 * height + 4 * levels + 1);
}

}  // namespace mlmq
