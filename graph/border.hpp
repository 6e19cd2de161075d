// SPDX-License-Identifier: Apache-2.0
// Better borders between the parts of a graph.
#pragma once

#include <cstdint>
#include <span>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Vertices at a border move to the part that most of their edges lead to, where it has room. Parts above `most` give
/// vertices away.
/// @param loads of the vertices @param part_of of each vertex, below `parts`; changed
/// @param most load of a part, where it can be
void smooth_borders(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts, double most,
                    std::span<std::uint32_t> part_of);

}  // namespace mlmq::graph
