// SPDX-License-Identifier: Apache-2.0
// A large graph made small: neighbours are put together into clusters of about the same load.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/csr.hpp"
#include "graph/weighted_rows.hpp"

namespace mlmq::graph {

struct clusters {
  std::vector<std::uint32_t> cluster_of;  ///< of each vertex
  weighted_rows between;                  ///< the clusters: loads, and how many edges lead between two of them
};

/// Clusters grow by breadth-first search until they have the load; what is left over in between joins a neighbour.
/// Takes time in proportion to the graph.
/// @param loads of the vertices @param enough of a cluster; one may have twice as much, or one vertex
[[nodiscard]] clusters cluster(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough);

}  // namespace mlmq::graph
