// SPDX-License-Identifier: Apache-2.0
// Builds the parts of a graph from the part of each vertex.
#pragma once

#include "base/thread_team.hpp"
#include "problems/shortest_paths/solvers/graph_parts.hpp"

namespace mlmq::problems {

/// Fills all members except `shape` and `largest_sum`.
/// @param[in,out] result has the final number of parts, `shape` and `part_of`
/// @throws backends::launch_error if the layout packs arcs and one does not fit into 4 bytes
void fill_parts(const graph::csr_graph& graph, graph_parts& result, thread_team& team);

}  // namespace mlmq::problems
