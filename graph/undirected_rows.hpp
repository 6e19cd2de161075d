// SPDX-License-Identifier: Apache-2.0
// The neighbours of each vertex, in either direction.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Neighbours without duplicates and loops, in ascending order.
struct undirected_rows {
  std::vector<std::size_t> offsets;  ///< vertices + 1 elements
  std::vector<vertex_id> targets;

  [[nodiscard]] std::span<const vertex_id> row(vertex_id v) const {
    return std::span(targets).subspan(offsets[v], offsets[v + 1] - offsets[v]);
  }
};

[[nodiscard]] undirected_rows to_undirected(const csr_graph& graph, thread_team& team);

}  // namespace mlmq::graph
