// SPDX-License-Identifier: Apache-2.0
// Weights for the arcs of an elimination, and the arcs that searches need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"
#include "graph/hierarchy/elimination.hpp"
#include "graph/hierarchy/lengths.hpp"

namespace mlmq::graph {

/// An arc between a vertex and one of its ancestors, which its depth identifies.
struct ancestor_arc {
  std::uint32_t depth;
  std::uint32_t weight;
};

/// Arcs of all positions in one direction.
struct ancestor_rows {
  std::vector<std::size_t> offsets;  ///< vertices + 1 elements
  std::vector<ancestor_arc> arcs;    ///< in each row by ascending depth

  [[nodiscard]] std::span<const ancestor_arc> row(std::size_t position) const {
    return std::span(arcs).subspan(offsets[position], offsets[position + 1] - offsets[position]);
  }
};

/// A graph in which each shortest path has an equally long one that first ascends to ancestors and then descends.
struct search_hierarchy {
  std::shared_ptr<const elimination> tree;
  ancestor_rows upward;    ///< from each vertex to ancestors
  ancestor_rows downward;  ///< to each vertex from ancestors
  bool is_long = false;    ///< whether lengths are long_lengths instead of short_lengths

  /// Distance of a vertex that is not reached.
  [[nodiscard]] std::uint32_t no_path() const { return is_long ? long_lengths::no_path : short_lengths::no_path; }
};

/// Gives each arc of an elimination the length of a shortest path through vertices that were eliminated before its
/// ends, and keeps those arcs for which there is no path as short through other vertices (Dibbelt, Strasser and Wagner
/// 2016, perfect customization).
/// @param tree  an elimination of this graph
/// @param graph has weights of uint32
/// @param is_long whether distances may be short_lengths::no_path or more
[[nodiscard]] search_hierarchy customize(std::shared_ptr<const elimination> tree, const csr_graph& graph, bool is_long,
                                         thread_team& team);

}  // namespace mlmq::graph
