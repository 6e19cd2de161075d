// SPDX-License-Identifier: Apache-2.0
// An elimination with fewer, larger supernodes.
#pragma once

#include <cstdint>

#include "graph/hierarchy/elimination.hpp"

namespace mlmq::graph {

/// Returns an elimination with the same tree, where each vertex that lacks at most `most_added` of the upper neighbours
/// of its parent has all of them. Such a vertex then belongs to the supernode of its parent: a path in the tree visits
/// fewer supernodes, but a search relaxes more arcs.
[[nodiscard]] elimination with_merged_supernodes(const elimination& tree, std::uint32_t most_added);

}  // namespace mlmq::graph
