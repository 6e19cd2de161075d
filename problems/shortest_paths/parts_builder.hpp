// SPDX-License-Identifier: Apache-2.0
// Makes the parts of a graph, when it is known which vertex belongs to which part.
#pragma once

#include "problems/shortest_paths/graph_parts.hpp"

namespace mlmq::problems {

/// Fills all but `shape` and `largest_sum`.
/// @param made with as many parts as there are to be, shape and part_of
/// @throws backends::launch_error where arcs are to be packed and do not fit into 4 bytes
void fill_parts(const graph::csr_graph& graph, graph_parts& made);

}  // namespace mlmq::problems
