// SPDX-License-Identifier: Apache-2.0
// The graph with all edges reversed.
#pragma once

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns the graph with every edge reversed, and the same ids. Distances from a vertex in it are distances to that
/// vertex in the original. The edges of a row have the order of their sources.
[[nodiscard]] csr_graph reversed(const csr_graph& graph);

}  // namespace mlmq::graph
