// SPDX-License-Identifier: Apache-2.0
// Bellman-Ford's algorithm, as an independent reference for distances of small graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::tests {

/// Returns the distances from a source, found by relaxing edges until none changes.
/// @param no_path distance of vertices that are not reached
/// @param extend returns the length of a path, given its length without the last edge and the weight of this edge
template <class Extend>
std::vector<graph::distance_bits> bellman_ford(const graph::csr_graph& graph, graph::vertex_id source,
                                               graph::distance_bits no_path, const Extend& extend) {
  std::vector<graph::distance_bits> distances(graph.vertex_count(), no_path);
  distances[source] = 0;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
      if (distances[v] == no_path) continue;
      for (graph::edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
        const graph::distance_bits length = extend(distances[v], graph.weight_bits()[e]);
        if (length >= distances[graph.targets()[e]]) continue;
        distances[graph.targets()[e]] = length;
        has_changed = true;
      }
    }
  }
  return distances;
}

/// Returns the distances from a source in the type of the graph's weights.
inline std::vector<graph::distance_bits> bellman_ford(const graph::csr_graph& graph, graph::vertex_id source) {
  return bellman_ford(graph, source, graph::unreached, [&](graph::distance_bits length, std::uint32_t weight) {
    return graph::extend(graph.weights(), length, weight);
  });
}

}  // namespace mlmq::tests
