// SPDX-License-Identifier: Apache-2.0
// Reduces a graph to its largest connected component, because a search that starts there cannot reach the rest.
#pragma once

#include <cstddef>

#include "graph/builder.hpp"

namespace mlmq::graph {

/// Keeps only the largest connected component (the one with the smallest vertex if several are largest; edges count in
/// both directions) and renumbers its vertices in the same order. Edges keep their weights.
/// @return the number of remaining vertices
[[nodiscard]] std::size_t keep_largest_part(std::size_t vertex_count, edge_list& edges);

}  // namespace mlmq::graph
