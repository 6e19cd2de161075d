// SPDX-License-Identifier: Apache-2.0
#include "graph/hierarchy/merged_elimination.hpp"

#include <cstddef>
#include <span>

namespace mlmq::graph {

elimination with_merged_supernodes(const elimination& tree, std::uint32_t most_added) {
  elimination merged{.vertex_at = tree.vertex_at,
                     .position_of = tree.position_of,
                     .parent = tree.parent,
                     .depth = tree.depth,
                     .size = tree.size,
                     .first_arc = {0},
                     .heads = {}};
  merged.first_arc.reserve(tree.first_arc.size());
  merged.heads.reserve(tree.heads.size());
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
    const std::span<const std::uint32_t> neighbours = tree.upper_neighbours(p);
    const std::uint32_t parent = tree.parent[p];
    const std::size_t first = parent == p ? 0 : merged.first_arc[parent];
    const std::size_t arcs_of_parent = parent == p ? 0 : merged.first_arc[parent + std::size_t{1}] - first;
    if (parent != p && arcs_of_parent + 1 <= neighbours.size() + most_added) {
      for (std::size_t i = 0; i < arcs_of_parent; ++i) merged.heads.push_back(merged.heads[first + i]);
      merged.heads.push_back(parent);
    } else {
      merged.heads.insert(merged.heads.end(), neighbours.begin(), neighbours.end());
    }
    merged.first_arc.push_back(merged.heads.size());
  }
  return merged;
}

}  // namespace mlmq::graph
