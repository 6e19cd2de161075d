// SPDX-License-Identifier: Apache-2.0
// Parts in groups of places (kernels/partitioned/partitioned_abi.cuh): which vertices form a group, and where arcs lie.
#pragma once

#include <span>
#include <vector>

#include "graph/csr.hpp"
#include "partitioned/partitioned_abi.cuh"
#include "problems/shortest_paths/part_shape.hpp"

namespace mlmq::problems {

/// A graph in parts, as far as groups are concerned.
struct grouped_graph {
  const graph::csr_graph& graph;
  std::span<const u32> part_of;  ///< of each vertex
  std::span<u32> place_of;       ///< of each vertex in its part; no_vertex: it has none yet
};

/// Gives the vertices of a part their places. Those of a group lie near each other, so that most arcs lead into the same
/// group. Behind a vertex are the places that continue its row.
/// @param vertices of the part
/// @return the vertex of each place, or no_vertex; whole groups
[[nodiscard]] std::vector<u32> places_in_groups(const grouped_graph& graph, std::span<const u32> vertices,
                                                const part_shape& shape);

/// The slots of a part, one for each place.
class group_slots {
 public:
  /// @param packed all arcs of the part: slot_arcs for each place
  /// @param idle the first target that is none: behind the places and the outbox
  group_slots(std::span<u32> packed, const part_shape& shape, u32 idle, u32 target_bits);

  /// Puts a row into the slot of its vertex, and into those behind it that continue the row: a tree, of arcs without weight.
  /// @param row packed arcs
  void place_row(u32 place, std::span<const u32> row);

  /// For part_pulled_groups: an arc within its group moves to the slot of its target, where it says from which lane it comes.
  /// That is where an arc leads back, which changes places with it, or where the slot has room. The others stay.
  void turn_around();

 private:
  [[nodiscard]] std::span<u32> slot(u32 place) const { return packed_.subspan(place * width_, width_); }
  [[nodiscard]] u32 target_of(u32 arc) const { return target_of_packed(arc, target_bits_); }
  /// An arc from the other end within the group. From the place itself without weight: no arc.
  [[nodiscard]] u32 pulled(u32 from, u32 weight) const {
    return pack_arc(idle_ + from % group_places, weight, target_bits_);
  }
  void place_tree(u32 place, u32& next, std::span<const u32> row);
  void turn_around(u32 place, u32& arc);

  std::span<u32> packed_;
  part_shape shape_;
  std::size_t width_;
  u32 idle_;
  u32 target_bits_;
};

}  // namespace mlmq::problems
