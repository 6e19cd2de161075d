// SPDX-License-Identifier: Apache-2.0
// The result of eliminating the vertices of a graph one by one: a tree, and arcs from each vertex to its ancestors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// When a vertex is eliminated, its remaining neighbours become adjacent to each other. They are its *upper
/// neighbours*, and the first of them that is eliminated is its parent in the elimination tree. All upper neighbours
/// are ancestors (Liu 1990; customizable contraction hierarchies, Dibbelt, Strasser and Wagner 2016).
///
/// Positions number the vertices such that a parent is before its children, and each subtree is contiguous.
struct elimination {
  std::vector<vertex_id> vertex_at;    ///< vertex of the graph at each position
  std::vector<vertex_id> position_of;  ///< position of each vertex of the graph
  std::vector<std::uint32_t> parent;   ///< position of the parent; of a root, its own position
  std::vector<std::uint32_t> depth;    ///< number of ancestors
  std::vector<std::uint32_t> size;     ///< vertices of the subtree, with its root
  std::vector<std::size_t> first_arc;  ///< vertices + 1 elements: the arcs of each position
  std::vector<std::uint32_t> heads;    ///< positions of upper neighbours; in each row ascending, so the parent is last

  [[nodiscard]] std::uint32_t vertices() const { return static_cast<std::uint32_t>(vertex_at.size()); }
  [[nodiscard]] std::span<const std::uint32_t> upper_neighbours(std::uint32_t position) const {
    return std::span(heads).subspan(first_arc[position], first_arc[position + 1] - first_arc[position]);
  }
  /// Returns the number of the arc from a position to one of its upper neighbours.
  [[nodiscard]] std::size_t arc_between(std::uint32_t descendant, std::uint32_t ancestor) const;
  /// Returns the number of vertices on the longest path from a root.
  [[nodiscard]] std::uint32_t height() const;
};

/// Eliminates the vertices in an order.
/// @param order all vertices, each once
/// @param most_arcs limit for the number of arcs
/// @throws input_error if more arcs are needed, or if `order` is not a permutation of the vertices
[[nodiscard]] elimination eliminate(const csr_graph& graph, std::span<const vertex_id> order, std::size_t most_arcs,
                                    thread_team& team);

}  // namespace mlmq::graph
