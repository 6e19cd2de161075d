// SPDX-License-Identifier: Apache-2.0
// Replaces the weights of a graph.
#pragma once

#include <cstddef>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// @throws input_error unless `count` new weights of this type are one per edge, of the type of the graph's weights
void require_new_weights(const csr_graph& graph, weight_type type, std::size_t count);

/// Returns the same graph (with its ids) with other weights.
/// @param weights one per edge, of the type of the graph's weights
/// @throws input_error if their type or number differs, or a weight is invalid, with its position
[[nodiscard]] csr_graph with_weights(const csr_graph& graph, csr_graph::weight_array weights);

}  // namespace mlmq::graph
