// SPDX-License-Identifier: Apache-2.0
// Reduces a graph to its largest connected component, because a search cannot reach the rest.
#pragma once

#include <cstddef>

#include "graph/builder.hpp"

namespace mlmq::graph {

/// Keeps only the largest connected part (the one with the smallest vertex among equals; edges count in both
/// directions), its vertices renumbered in the same order. Weights stay with their edges.
/// @return the vertices that are left
[[nodiscard]] std::size_t keep_largest_part(std::size_t vertex_count, edge_list& edges);

}  // namespace mlmq::graph
