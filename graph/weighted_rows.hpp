// SPDX-License-Identifier: Apache-2.0
// A small undirected graph with weights of vertices and of edges: the result of merging the vertices of a large graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mlmq::graph {

/// Graph in which each edge is in the rows of both its ends. A row may contain a target more than once.
struct weighted_rows {
  std::vector<std::size_t> offsets;  ///< vertices + 1 elements
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> edge_weights;  ///< parallel to `targets`
  std::vector<std::uint64_t> vertex_weights;

  [[nodiscard]] std::uint32_t vertices() const { return static_cast<std::uint32_t>(vertex_weights.size()); }
};

}  // namespace mlmq::graph
