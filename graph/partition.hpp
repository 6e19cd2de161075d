// SPDX-License-Identifier: Apache-2.0
// Splitting a graph into parts of about the same size between which few edges lead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Vertices are put together into clusters of a fortieth of a part (clusters.hpp), the clusters split by recursive
/// bisection (bisection.hpp), and the borders smoothed on the graph itself (border.hpp). Takes time in proportion to
/// the graph. The same graph gives the same parts everywhere. Directions of edges hardly matter.
/// @param loads of the vertices: parts have about the same sum of them, at most a few percent above the mean where no
/// single
///   vertex is larger
/// @param parts at least 1; of a graph with few vertices some stay empty
/// @return the part of each vertex, below `parts`
[[nodiscard]] std::vector<std::uint32_t> partition(const csr_graph& graph, std::span<const std::uint32_t> loads,
                                                   unsigned parts);

}  // namespace mlmq::graph
