// SPDX-License-Identifier: Apache-2.0
// Splits a small graph into parts by recursive bisection.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/weighted_rows.hpp"

namespace mlmq::graph {

/// Splits a graph into parts by recursive bisection. A piece is cut halfway between two of its vertices that are far
/// apart. Then vertices at the border change sides as long as this reduces the number of cut edges.
/// @return the part of each vertex, less than `parts`; the same for any number of threads
[[nodiscard]] std::vector<std::uint32_t> bisect(const weighted_rows& graph, unsigned parts, thread_team& team);

}  // namespace mlmq::graph
