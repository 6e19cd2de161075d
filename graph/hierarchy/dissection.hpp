// SPDX-License-Identifier: Apache-2.0
// Orders the vertices of a graph for elimination, by nested dissection.
#pragma once

#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns all vertices in the order in which they are to be eliminated, such that few fill arcs result. Vertices of
/// degree 5 or less come first. The rest is split by vertex separators, recursively; a separator comes after both its
/// sides (George 1973). Depends on the edges alone, in both directions, not on the weights.
/// @return the same for any number of threads
[[nodiscard]] std::vector<vertex_id> dissection_order(const csr_graph& graph, thread_team& team);

}  // namespace mlmq::graph
