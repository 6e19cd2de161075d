// SPDX-License-Identifier: Apache-2.0
// The arrays from which the kernel supernode_search.cu searches, except for weights.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/hierarchy/elimination.hpp"
#include "hierarchy/supernode_abi.cuh"

namespace mlmq::multi_source {

struct supernode_levels {
  std::vector<supernode_vertex> vertices;  ///< by position
  std::vector<std::uint32_t> order;        ///< as in supernode_arguments
  std::vector<std::uint32_t> bounds;       ///< 2 * levels + 1 elements; the last one is the number of vertices

  [[nodiscard]] std::uint32_t levels() const { return static_cast<std::uint32_t>(bounds.size() / 2); }
};

/// Finds the levels of an elimination; see supernode_vertex. `tree` has less than 2^32 arcs.
[[nodiscard]] supernode_levels find_supernodes(const graph::elimination& tree);

}  // namespace mlmq::multi_source
