// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/supernodes.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

namespace mlmq::multi_source {
namespace {

/// Returns the level of each position.
std::vector<std::uint32_t> supernode_levels_of(const graph::elimination& tree) {
  std::vector<std::uint32_t> levels(tree.vertices(), 0);
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
    const std::uint32_t parent = tree.parent[p];
    if (parent == p) continue;
    const bool is_same = tree.upper_neighbours(p).size() == tree.upper_neighbours(parent).size() + 1;
    levels[p] = levels[parent] + (is_same ? 0 : 1);
  }
  return levels;
}

/// Returns how many arcs the largest supernode of each level has.
std::vector<std::size_t> find_most_arcs(const graph::elimination& tree, const std::vector<std::uint32_t>& levels,
                                        std::uint32_t level_count) {
  std::vector<std::size_t> arcs(tree.vertices());  // of the ancestors in the same supernode, and of the vertex
  std::vector<std::size_t> most(level_count, 0);
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
    const std::uint32_t parent = tree.parent[p];
    const bool is_first = parent == p || levels[parent] != levels[p];
    arcs[p] = tree.upper_neighbours(p).size() + (is_first ? 0 : arcs[parent]);
    most[levels[p]] = std::max(most[levels[p]], arcs[p]);
  }
  return most;
}

}  // namespace

supernode_levels find_supernodes(const graph::elimination& tree) {
  const std::vector<std::uint32_t> levels = supernode_levels_of(tree);
  supernode_levels result;
  // Two groups per level: vertices with many arcs, and the others.
  const auto group_of = [&](std::uint32_t p) {
    return 2 * levels[p] + (tree.upper_neighbours(p).size() > narrow_arcs ? 0 : 1);
  };
  const std::uint32_t groups = levels.empty() ? 0 : 2 * (*std::ranges::max_element(levels) + 1);
  result.bounds.assign(groups + std::size_t{1}, 0);
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) ++result.bounds[group_of(p) + std::size_t{1}];
  std::partial_sum(result.bounds.begin(), result.bounds.end(), result.bounds.begin());
  std::vector<std::uint32_t> next(result.bounds.begin(), result.bounds.end() - 1);
  result.position_of.resize(tree.vertices());
  result.number_at.resize(tree.vertices());
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
    result.number_at[p] = next[group_of(p)]++;
    result.position_of[result.number_at[p]] = p;
  }
  result.heads.resize(tree.heads.size());
  std::ranges::transform(tree.heads, result.heads.begin(), [&](std::uint32_t head) { return result.number_at[head]; });
  result.most_arcs = find_most_arcs(tree, levels, result.levels());
  result.vertices.resize(tree.vertices());
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
    const std::span<const std::uint32_t> neighbours = tree.upper_neighbours(p);
    const auto other_levels = static_cast<std::size_t>(
        std::ranges::partition_point(neighbours, [&](std::uint32_t head) { return levels[head] != levels[p]; }) -
        neighbours.begin());
    result.vertices[result.number_at[p]] = {
        .first_arc = static_cast<u32>(tree.first_arc[p]),
        .arcs = static_cast<u32>(neighbours.size()),
        .same_level = static_cast<u32>(neighbours.size() - other_levels),
        .next = other_levels == 0 ? no_vertex : result.number_at[neighbours[other_levels - 1]]};
  }
  return result;
}

}  // namespace mlmq::multi_source
