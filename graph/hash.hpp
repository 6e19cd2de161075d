// SPDX-License-Identifier: Apache-2.0
// The identity of a graph.
#pragma once

#include <string>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// content_hash over the vertex and edge counts, the weight type, the three arrays, the ids, and whether weights
/// are absolute values of negative ones: equal exactly for graphs that are equal in all this, whatever file they came
/// from. 32 lower-case hexadecimal digits.
[[nodiscard]] std::string graph_hash(const csr_graph& graph);

}  // namespace mlmq::graph
