// SPDX-License-Identifier: Apache-2.0
// Splitting a graph into parts of about the same size between which few edges lead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// By METIS (multilevel k-way partitioning, Karypis and Kumar 1998) on the graph without directions. The same graph gives the
/// same parts everywhere.
/// @param loads of the vertices: parts have about the same sum of them, at most a few percent above the mean where no single
///   vertex is larger
/// @param parts at least 1; of a graph with fewer vertices some stay empty
/// @return the part of each vertex, below `parts`
/// @throws work_error for a graph of 2^31 edges and more, counted in both directions, or when METIS fails
[[nodiscard]] std::vector<std::uint32_t> partition(const csr_graph& graph, std::span<const std::uint32_t> loads,
                                                   unsigned parts);

}  // namespace mlmq::graph
