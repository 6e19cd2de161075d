// SPDX-License-Identifier: Apache-2.0
// Splitting a small graph into parts by halves.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/weighted_rows.hpp"

namespace mlmq::graph {

/// Recursive bisection. A piece is cut in the middle between two of its vertices that are far from each other; then
/// vertices at the border change sides while that cuts fewer edges.
/// @return the part of each vertex, below `parts`
[[nodiscard]] std::vector<std::uint32_t> bisect(const weighted_rows& graph, unsigned parts);

}  // namespace mlmq::graph
