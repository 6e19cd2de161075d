// SPDX-License-Identifier: Apache-2.0
// Directed graphs of which most vertices have few neighbours.
#pragma once

#include <cstdint>

#include "graph/csr.hpp"

namespace mlmq::oracle {

/// Returns a random graph of chains and trees of all kinds around a small core: one way, both ways, in opposite
/// directions, parallel, loops at a vertex, closed in themselves. With every third seed, the core has nine vertices
/// that are joined with each other, and others with few neighbours. The graph has 4 to about 150 vertices and weights
/// from 0 to 99; the same seed gives the same graph.
[[nodiscard]] graph::csr_graph chains_of_all_kinds(std::uint64_t seed);

}  // namespace mlmq::oracle
