// SPDX-License-Identifier: Apache-2.0
// The upward search from one source, by a block, except for the levels at the top, which all blocks search. The path in
// the tree lies in shared memory, by depth. The vertices of one level are visited together, with a barrier of the block
// after each level.
#pragma once

#include "hierarchy/lengths.cuh"
#include "hierarchy/supernode_abi.cuh"
#include "simt/block_owned.cuh"
#include "work_counters.cuh"

namespace mlmq::hierarchy {

using counters = work_counters<MLMQ_COUNTERS != 0>;

SIMT_DEVICE supernode_vertex load_vertex(const supernode_vertex* vertices, u32 vertex) {
  const simt::quad words = simt::load_readonly_quad(vertices + vertex);
  return {words.x, words.y, words.z, words.w};
}

class supernode_path {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param shared 4 * height + 2 * levels words of shared memory
  SIMT_DEVICE supernode_path(const supernode_arguments& arguments, u32* shared, counters& counts)
      : arguments_(arguments),
        counts_(counts),
        distances_(shared),
        vertices_(shared + arguments.height),
        first_arcs_(shared + 2 * arguments.height),
        arcs_(shared + 3 * arguments.height),
        lowest_(shared + 4 * arguments.height),
        first_depths_(lowest_ + arguments.levels) {}

  /// Block collective: finds the distances of the path's vertices over paths that only ascend.
  SIMT_DEVICE void find(u32 source) {
    simt::sync_block();
    depth_ = simt::load_readonly(arguments_.depths + source);
    find_levels(source);
    simt::sync_block();
    for (u32 level = simt::warp_in_block(); level < levels_; level += warps) write_vertices(level);
    simt::sync_block();
    if (levels_ > arguments_.wide_levels) relax_levels(levels_ - arguments_.wide_levels);
  }

  /// Block collective: writes what find() has found for a column.
  SIMT_DEVICE void write(u32 column) const {
    u32* const distances = arguments_.from_below + column;
    for (u32 i = simt::thread_in_block(); i <= depth_; i += simt::block_threads())
      simt::store(distances + simt::load(vertices_ + i) * MLMQ_COLUMNS, simt::load(distances_ + i));
    for (u32 i = simt::thread_in_block(); i < arguments_.wide_levels; i += simt::block_threads()) {
      simt::store(arguments_.lowest + column * arguments_.wide_levels + i,
                  i < levels_ ? simt::load(lowest_ + levels_ - 1 - i) : no_vertex);
    }
  }

 private:
  static constexpr u32 warps = simt::block_threads() / simt::warp_size;
  static constexpr u32 held_arcs = 2;

  /// The first arcs of one vertex, or those from `begin` on, that a lane has in registers.
  struct arc_group {
    u32 heads[held_arcs];
    u32 depths[held_arcs];  ///< of the heads
    u32 lengths[held_arcs];
  };

  /// Levels count from the source here. The first thread follows the path, since each load depends on the one before.
  SIMT_DEVICE void find_levels(u32 source) {
    for (u32 i = simt::thread_in_block(); i <= depth_; i += simt::block_threads())
      simt::store(distances_ + i, i == depth_ ? 0u : no_path);
    levels_ = 0;
    for (u32 vertex = source; vertex != no_vertex; ++levels_) {
      if (simt::thread_in_block() == 0) simt::store(lowest_ + levels_, vertex);
      vertex = simt::load_readonly(&arguments_.vertices[vertex].next);
    }
  }

  /// Warp collective: writes the vertices of a level, which are the lowest one and ancestors of it without a gap.
  SIMT_DEVICE void write_vertices(u32 level) const {
    const u32 lowest = simt::load(lowest_ + level);
    const supernode_vertex shape = load_vertex(arguments_.vertices, lowest);
    const u32 first_depth = simt::load_readonly(arguments_.depths + lowest) - shape.same_level;
    const u32 first_arc = shape.first_arc + shape.arcs - shape.same_level;
    if (simt::lane() == 0) simt::store(first_depths_ + level, first_depth);
    for (u32 i = simt::lane(); i <= shape.same_level; i += simt::warp_size) {
      const u32 vertex = i == shape.same_level ? lowest : simt::load_readonly(arguments_.heads + first_arc + i);
      const supernode_vertex ancestor = load_vertex(arguments_.vertices, vertex);
      simt::store(vertices_ + first_depth + i, vertex);
      simt::store(first_arcs_ + first_depth + i, ancestor.first_arc);
      simt::store(arcs_ + first_depth + i, ancestor.arcs);
    }
  }

  /// Block collective: visits the first `count` levels. The vertices are dealt to the warps in turn. Loads of arcs do
  /// not depend on distances: those of a warp's next two vertices are in flight.
  SIMT_DEVICE void relax_levels(u32 count) {
    const u32 end = simt::load(first_depths_ + count - 1);
    u32 depth = depth_ - simt::warp_in_block();  // wraps around if the path has fewer vertices
    arc_group group = load_arcs(depth, 0);
    load_depths(group);
    arc_group next = load_arcs(depth - warps, 0);
    for (u32 level = 0; level < count; ++level) {
      const u32 first_depth = simt::load(first_depths_ + level);
      while (depth <= depth_ && depth >= first_depth) {
        relax_vertex(depth, group);
        group = next;
        load_depths(group);
        depth -= warps;
        next = load_arcs(depth - warps >= end ? depth - warps : no_vertex, 0);
      }
      simt::sync_block();
    }
  }

  /// Loads arcs of a vertex of the path from `begin` on, except for the depths of their heads.
  SIMT_DEVICE arc_group load_arcs(u32 depth, u32 begin) const {
    arc_group group;
    const u32 arcs = depth <= depth_ ? simt::load(arcs_ + depth) : 0;
    for (u32 i = 0; i < held_arcs; ++i) {
      const u32 arc = begin + i * simt::warp_size + simt::lane();
      group.lengths[i] = no_path;
      if (arc >= arcs) continue;
      group.heads[i] = simt::load_readonly(arguments_.heads + simt::load(first_arcs_ + depth) + arc);
      group.lengths[i] = simt::load_readonly(arguments_.upward + simt::load(first_arcs_ + depth) + arc);
    }
    return group;
  }

  SIMT_DEVICE void load_depths(arc_group& group) const {
    for (u32 i = 0; i < held_arcs; ++i) {
      if (group.lengths[i] != no_path) group.depths[i] = simt::load_readonly(arguments_.depths + group.heads[i]);
    }
  }

  /// @param group the first arcs
  SIMT_DEVICE void relax_vertex(u32 depth, const arc_group& group) {
    const u32 distance = simt::load_atomic<order::relaxed, scope::block>(distances_ + depth);
    if (distance == no_path) return;
    relax(distance, group);
    const u32 arcs = simt::load(arcs_ + depth);
    for (u32 begin = held_arcs * simt::warp_size; begin < arcs; begin += held_arcs * simt::warp_size) {
      arc_group others = load_arcs(depth, begin);
      load_depths(others);
      relax(distance, others);
    }
    if (simt::lane() == 0) counts_.add(counter::relaxations, arcs);
  }

  SIMT_DEVICE void relax(u32 distance, const arc_group& group) const {
    for (u32 i = 0; i < held_arcs; ++i) {
      const u32 length = joined_length(distance, group.lengths[i]);
      if (length < no_path) simt::atomic_min<order::relaxed, scope::block>(distances_ + group.depths[i], length);
    }
  }

  const supernode_arguments& arguments_;
  counters& counts_;
  u32* distances_;  ///< by depth, like the next three
  u32* vertices_;
  u32* first_arcs_;
  u32* arcs_;
  u32* lowest_;  ///< by level, like the next one
  u32* first_depths_;
  u32 depth_ = 0;
  u32 levels_ = 0;
};

}  // namespace mlmq::hierarchy
