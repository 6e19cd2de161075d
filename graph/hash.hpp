// SPDX-License-Identifier: Apache-2.0
// The identity of a graph.
#pragma once

#include <string>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns the content_hash over the vertex and edge counts, the weight type, the three arrays, the ids, and whether
/// weights are absolute values of negative ones, as 32 lower-case hexadecimal digits. Two graphs have the same hash
/// exactly if they agree in all of these, independent of their files.
[[nodiscard]] std::string graph_hash(const csr_graph& graph);

}  // namespace mlmq::graph
