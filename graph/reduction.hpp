// SPDX-License-Identifier: Apache-2.0
// Removes vertices with few neighbours from a graph, so that a search visits only the vertices that are left: its core.
// The shape points of a road are most of a road network; leaves are a third or more of many social and web graphs.
//
// Vertices are eliminated one after the other. The neighbours of an eliminated vertex become neighbours of each other.
// Which vertices are eliminated depends on the edges alone, so it stays valid when weights change: lengths are in
// reduced_graph.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"
#include "graph/undirected_rows.hpp"

namespace mlmq::graph {

/// The vertices that one reduction removes from a graph.
enum class eliminated_vertices {
  leaves,     ///< vertices with one neighbour, until there are none; so trees
  chains,     ///< vertices with one or two neighbours, until there are none; so also cycles and networks of chains
  low_degree  ///< vertices with at most six neighbours, if this adds no more edges than it removes
};

/// The vertices that are removed from a graph in all.
enum class reduction_extent {
  leaves,
  chains,
  core  ///< chains, and from what is left vertices of low degree
};

/// Returns "leaves", "chains" or "core".
[[nodiscard]] std::string_view name_of(reduction_extent extent) noexcept;
/// Returns the reductions to apply: the first one to the graph, each other one to the core of the one before.
[[nodiscard]] std::span<const eliminated_vertices> steps_of(reduction_extent extent) noexcept;

/// The vertices that are eliminated, in fragments: eliminated vertices that are connected with each other by eliminated
/// vertices alone. The vertices of the core that are neighbours of a fragment are its ends. Immutable.
class reduction {
 public:
  /// Bit that distinguishes the numbers of vertices in the core from positions.
  static constexpr std::uint32_t core_flag = std::uint32_t{1} << 31;
  /// Largest number of neighbours that a vertex of low degree has.
  static constexpr std::uint32_t low_degree = 6;
  /// Neighbour that does not exist.
  static constexpr std::uint32_t no_neighbour = std::numeric_limits<std::uint32_t>::max();

  /// Eliminates vertices. Edges count in both directions, loops and parallel edges do not count.
  /// @throws input_error if the graph has 2^31 vertices or more
  [[nodiscard]] static reduction make(const csr_graph& graph, eliminated_vertices kind, thread_team& team);
  /// @param rows  the neighbours of each vertex; fewer than 2^31
  [[nodiscard]] static reduction make(undirected_rows rows, eliminated_vertices kind);

  [[nodiscard]] vertex_id vertex_count() const { return static_cast<vertex_id>(place_.size()); }
  [[nodiscard]] vertex_id core_size() const { return static_cast<vertex_id>(core_.size()); }
  [[nodiscard]] std::uint32_t eliminated_count() const { return static_cast<std::uint32_t>(eliminated_.size()); }

  /// Returns where a vertex of the graph is: core_flag | its number in the core, or its position among the eliminated
  /// vertices. The vertices of a fragment have consecutive positions, in the order in which they are eliminated.
  [[nodiscard]] std::uint32_t place(vertex_id v) const { return place_[v]; }
  [[nodiscard]] std::span<const std::uint32_t> places() const { return place_; }
  [[nodiscard]] static bool is_in_core(std::uint32_t place) { return (place & core_flag) != 0; }
  /// Returns the vertices of the core, in ascending order.
  [[nodiscard]] const std::vector<vertex_id>& core() const { return core_; }
  /// Returns the neighbours of each vertex of the core when all others are eliminated, as numbers in the core.
  [[nodiscard]] const undirected_rows& core_rows() const { return core_rows_; }
  /// Returns the eliminated vertices, by position.
  [[nodiscard]] const std::vector<vertex_id>& eliminated() const { return eliminated_; }

  /// Number of neighbours that an eliminated vertex, and number of ends that a fragment can have; even.
  [[nodiscard]] std::size_t width() const { return width_; }
  /// Returns the places of the neighbours of an eliminated vertex when it is eliminated: width() places in ascending
  /// order, so in the order of elimination, or no_neighbour.
  [[nodiscard]] std::span<const std::uint32_t> neighbours_of(std::uint32_t position) const {
    return std::span(neighbours_).subspan(position * width_, width_);
  }

  [[nodiscard]] std::size_t fragment_count() const { return first_positions_.size() - 1; }
  /// Returns the position of the first vertex of a fragment; that of fragment_count() is eliminated_count().
  [[nodiscard]] std::uint32_t first_of(std::size_t fragment) const { return first_positions_[fragment]; }
  /// Returns the ends of a fragment, like neighbours_of(): they are the neighbours of its last vertex.
  [[nodiscard]] std::span<const std::uint32_t> ends_of(std::size_t fragment) const {
    return neighbours_of(first_positions_[fragment + 1] - 1);
  }
  /// Returns the index of the fragment of an eliminated vertex.
  [[nodiscard]] std::size_t fragment_of(std::uint32_t position) const { return fragment_of_[position]; }

 private:
  reduction() = default;

  std::vector<std::uint32_t> place_;
  std::vector<vertex_id> core_;
  undirected_rows core_rows_;
  std::vector<vertex_id> eliminated_;
  std::size_t width_ = 2;
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> first_positions_{0};
  std::vector<std::uint32_t> fragment_of_;
};

}  // namespace mlmq::graph
