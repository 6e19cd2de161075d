// SPDX-License-Identifier: Apache-2.0
// The arrays from which the kernel supernode_search.cu searches, except for lengths of arcs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/hierarchy/elimination.hpp"
#include "hierarchy/supernode_abi.cuh"

namespace mlmq::multi_source {

/// The vertices of an elimination, numbered level by level as in supernode_arguments.
struct supernode_levels {
  std::vector<supernode_vertex> vertices;
  std::vector<std::uint32_t> position_of;  ///< position in the elimination of each vertex
  std::vector<std::uint32_t> number_at;    ///< vertex at each position
  std::vector<std::uint32_t> heads;        ///< by arc of the elimination
  std::vector<std::uint32_t> bounds;       ///< 2 * levels + 1 elements; the last one is the number of vertices

  std::vector<std::size_t> most_arcs;  ///< of a supernode, by level

  [[nodiscard]] std::uint32_t levels() const { return static_cast<std::uint32_t>(bounds.size() / 2); }
};

/// Finds the levels of an elimination; see supernode_vertex. `tree` has less than 2^32 arcs.
[[nodiscard]] supernode_levels find_supernodes(const graph::elimination& tree);

}  // namespace mlmq::multi_source
