// SPDX-License-Identifier: Apache-2.0
// Layout of parts in groups of places (kernels/partitioned/partitioned_abi.cuh): groups of vertices, and slots of arcs.
#pragma once

#include <span>
#include <vector>

#include "graph/csr.hpp"
#include "partitioned/partitioned_abi.cuh"
#include "problems/shortest_paths/solvers/part_shape.hpp"

namespace mlmq::problems {

/// A partitioned graph, as input of the group layout.
struct grouped_graph {
  const graph::csr_graph& graph;
  std::span<const u32> part_of;  ///< part of each vertex
  std::span<u32> place_of;       ///< place of each vertex in its part; no_vertex if it has none yet
};

/// Assigns places to the vertices of a part. A group consists of vertices that are close in the graph, so most arcs
/// stay within a group. The places that continue the row of a vertex follow it.
/// @param vertices the vertices of the part
/// @return the vertex of each place, or no_vertex; a multiple of the group size
[[nodiscard]] std::vector<u32> places_in_groups(const grouped_graph& graph, std::span<const u32> vertices,
                                                const part_shape& shape);

/// The slots of a part, one per place.
class group_slots {
 public:
  /// @param packed all arcs of the part, slot_arcs per place
  /// @param idle the first value that is not a target: the number of places and outbox words
  group_slots(std::span<u32> packed, const part_shape& shape, u32 idle, u32 target_bits);

  /// Stores a row in the slot of its vertex and in the following slots that continue it. Arcs of weight 0 link them as
  /// a tree.
  /// @param row packed arcs
  void place_row(u32 place, std::span<const u32> row);

  /// For part_pulled_groups: moves each arc within a group to the slot of its target, where it names the lane of its
  /// origin. It swaps with an arc in the opposite direction, or takes a free entry of that slot; otherwise it stays.
  void pull_arcs();

 private:
  [[nodiscard]] std::span<u32> slot(u32 place) const { return packed_.subspan(place * width_, width_); }
  [[nodiscard]] u32 target_of(u32 arc) const { return target_of_packed(arc, target_bits_); }
  /// Returns an arc that is pulled from `origin` within the group. An arc of weight 0 from the place itself means no
  /// arc.
  [[nodiscard]] u32 pulled(u32 origin, u32 weight) const {
    return pack_arc(idle_ + origin % group_places, weight, target_bits_);
  }
  void place_tree(u32 place, u32& next, std::span<const u32> row);
  void pull_arcs(u32 place, u32& arc);

  std::span<u32> packed_;
  part_shape shape_;
  std::size_t width_;
  u32 idle_;
  u32 target_bits_;
};

}  // namespace mlmq::problems
