// SPDX-License-Identifier: Apache-2.0
// Replaces the weights of a graph.
#pragma once

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns the same graph (with its ids) with other weights.
/// @param weights one per edge, of the type of the graph's weights
/// @throws input_error if their type or number differs, or a weight is invalid, with its position
[[nodiscard]] csr_graph with_weights(const csr_graph& graph, csr_graph::weight_array weights);

}  // namespace mlmq::graph
