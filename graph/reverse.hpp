// SPDX-License-Identifier: Apache-2.0
// Reversed edges.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns the graph with every edge reversed, and the same ids. Distances from a vertex in it are distances to that
/// vertex in the original. The edges of a row have the order of their sources.
[[nodiscard]] csr_graph reversed(const csr_graph& graph);

/// Calls `place_edge` for every edge, with its position among the reversed edges, its position in the graph, and its
/// source. The reversed edges of a row have the order of their sources.
/// @return n + 1 starts of the reversed rows
template <class PlaceEdge>
[[nodiscard]] std::vector<edge_offset> reverse_rows(const csr_graph& graph, const PlaceEdge& place_edge) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  const std::size_t n = graph.vertex_count();
  std::vector<edge_offset> reversed_offsets(n + 1, 0);
  for (const vertex_id target : targets) ++reversed_offsets[target + std::size_t{1}];
  std::partial_sum(reversed_offsets.begin(), reversed_offsets.end(), reversed_offsets.begin());
  std::vector<edge_offset> next(reversed_offsets.begin(), reversed_offsets.end() - 1);
  for (std::size_t v = 0; v < n; ++v) {
    for (edge_offset i = offsets[v]; i < offsets[v + 1]; ++i)
      place_edge(next[targets[i]]++, i, static_cast<vertex_id>(v));
  }
  return reversed_offsets;
}

}  // namespace mlmq::graph
