// SPDX-License-Identifier: Apache-2.0
// Rows of hubs in a partitioned graph: spread over the parts of their targets.
//
// A hub has a *copy* in each part that at least two of its arcs lead to: a further vertex, with these arcs. Arcs of
// weight 0 lead from the hub to its copies, so one message per part replaces one per target. Arcs of such a part to the
// hub lead to the copy, and an arc of weight 0 from there to the hub, so a path through a hub can stay within a part.
// Distances do not change: every path to a copy is one to the hub. Of parallel arcs of a hub only the lightest is kept,
// and no loops.
#pragma once

#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"
#include "partitioned/partitioned_abi.cuh"
#include "problems/shortest_paths/solvers/part_shape.hpp"

namespace mlmq::problems {

/// Returns whether a row is longer than part_shape::hub_degree.
[[nodiscard]] bool has_hub(const graph::csr_graph& graph, const part_shape& shape);

/// Partitions a graph with hubs. Their arcs are disregarded, because each part reaches a hub by its copy.
/// @return the part of each vertex
[[nodiscard]] std::vector<u32> partition_with_hubs(const graph::csr_graph& graph, unsigned parts,
                                                   const part_shape& shape, thread_team& team);

/// A graph with copies of its hubs, which follow the other vertices.
struct graph_with_copies {
  graph::csr_graph graph;
  std::vector<u32> part_of;
};

/// @param graph weights of 4 bytes
/// @param part_of part of each vertex
[[nodiscard]] graph_with_copies copy_hubs(const graph::csr_graph& graph, std::span<const u32> part_of,
                                          const part_shape& shape, thread_team& team);

}  // namespace mlmq::problems
