// SPDX-License-Identifier: Apache-2.0
// A small undirected graph with weights of vertices and of edges: what is left of a large one whose vertices were put
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mlmq::graph {

/// Each edge is in the rows of both its ends. A row may name a vertex more than once.
struct weighted_rows {
  std::vector<std::size_t> offsets;  ///< vertices + 1
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> edge_weights;  ///< as `targets`
  std::vector<std::uint64_t> vertex_weights;

  [[nodiscard]] std::uint32_t vertices() const { return static_cast<std::uint32_t>(vertex_weights.size()); }
};

}  // namespace mlmq::graph
