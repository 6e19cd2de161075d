// SPDX-License-Identifier: Apache-2.0
// Removes leaves and chains from a graph, so that a search visits only the vertices that are left: its core. The
// shape points of a road are most of a road network; leaves are a third or more of many social and web graphs.
//
// Vertices are eliminated one after the other. The neighbours of an eliminated vertex, at most two, become neighbours
// of each other. Which vertices are eliminated depends on the edges alone, so it stays valid when weights change:
// lengths are in reduced_graph.hpp.
#pragma once

#include <array>
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

/// The vertices that are removed from a graph.
enum class reduction_extent {
  leaves,  ///< vertices with one neighbour, until there are none; so trees
  chains   ///< vertices with one or two neighbours, until there are none; so also cycles and networks of chains
};

/// Returns "leaves" or "chains".
[[nodiscard]] std::string_view name_of(reduction_extent extent) noexcept;

/// Eliminated vertices that are connected with each other by eliminated vertices alone. At most two vertices of the
/// core are their neighbours: the ends of the fragment.
struct fragment {
  std::uint32_t first;            ///< position of the first vertex
  std::array<vertex_id, 2> ends;  ///< numbers in the core, ascending, or reduction::no_end
};

/// The vertices that are eliminated, in fragments. Immutable.
class reduction {
 public:
  static constexpr vertex_id no_end = std::numeric_limits<vertex_id>::max();
  /// Bit that distinguishes the numbers of vertices in the core from positions.
  static constexpr std::uint32_t core_flag = std::uint32_t{1} << 31;
  /// Neighbour that does not exist.
  static constexpr std::uint32_t no_neighbour = std::numeric_limits<std::uint32_t>::max();

  /// Eliminates vertices. Edges count in both directions, loops and parallel edges do not count.
  /// @throws input_error if the graph has 2^31 vertices or more
  [[nodiscard]] static reduction make(const csr_graph& graph, reduction_extent extent, thread_team& team);

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

  /// The neighbours of an eliminated vertex when it is eliminated: places, or no_neighbour. If there is one, it is the
  /// first; if one is eliminated before the other, it is the first.
  using neighbours = std::array<std::uint32_t, 2>;
  [[nodiscard]] const neighbours& neighbours_of(std::uint32_t position) const { return neighbours_[position]; }

  [[nodiscard]] std::size_t fragment_count() const { return fragments_.size() - 1; }
  /// Returns a fragment; that of fragment_count() begins where the last one ends.
  [[nodiscard]] const fragment& fragment_at(std::size_t index) const { return fragments_[index]; }
  /// Returns the index of the fragment of an eliminated vertex.
  [[nodiscard]] std::size_t fragment_of(std::uint32_t position) const { return fragment_of_[position]; }

 private:
  reduction() = default;

  std::vector<std::uint32_t> place_;
  std::vector<vertex_id> core_;
  undirected_rows core_rows_;
  std::vector<vertex_id> eliminated_;
  std::vector<neighbours> neighbours_;
  std::vector<fragment> fragments_;
  std::vector<std::uint32_t> fragment_of_;
};

}  // namespace mlmq::graph
