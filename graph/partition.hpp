// SPDX-License-Identifier: Apache-2.0
// Splits a graph into parts of about equal size with few edges between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns whether a graph has a row of several times the average length. Splitting such graphs takes longer, and finer
/// clusters leave no fewer edges between their parts.
[[nodiscard]] bool has_hub(const csr_graph& graph);

/// Partitions a graph: vertices are merged into clusters with a fortieth of the load of a part, of a graph with hubs a
/// fifth (clusters.hpp), the clusters are split by recursive bisection (bisection.hpp), and the borders are smoothed on
/// the graph itself (partition.cpp). The time is proportional to the size of the graph. The result is the same on every
/// machine and for any number of threads. Directions of edges have little effect.
/// @param loads load of each vertex. Parts have about the same total load, at most a few percent above the mean unless
///   a single vertex is larger.
/// @param parts at least 1; if the graph has few vertices, some parts stay empty
/// @return the part of each vertex, less than `parts`
[[nodiscard]] std::vector<std::uint32_t> partition(const csr_graph& graph, std::span<const std::uint32_t> loads,
                                                   unsigned parts, thread_team& team);

}  // namespace mlmq::graph
