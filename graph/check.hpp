// SPDX-License-Identifier: Apache-2.0
// Verifies distances without computing them again.
#pragma once

#include <span>
#include <string>

#include "graph/csr.hpp"

namespace mlmq::graph {

struct check_result {
  bool ok = false;
  std::string message;  ///< if not ok: the first offending vertex (by its id) or edge, with numbers
};

/// Checks in O(n + m) that `distances` are exactly the shortest distances from `source`, with vertices beyond `cutoff`
/// unreached:
///  - there is one distance per vertex, and it is 0 for the source;
///  - no edge offers a shorter path (so no distance is too large, and none is missing);
///  - every reached vertex can be reached from the source over tight edges, which are those with
///    distance[v] == extend(distance[u], weight) (so no distance is too small). It is not sufficient that each vertex
///    has an incoming tight edge: vertices on a cycle of zero-weight, rounded-away or saturated edges could justify
///    each other's wrong distances.
/// @throws input_error if source is not a vertex
[[nodiscard]] check_result check_distances(const csr_graph& graph, vertex_id source,
                                           std::span<const distance_bits> distances,
                                           wide_distance_bits cutoff = wide_unreached);
/// Overload for graphs with float64 weights.
[[nodiscard]] check_result check_distances(const csr_graph& graph, vertex_id source,
                                           std::span<const wide_distance_bits> distances,
                                           wide_distance_bits cutoff = wide_unreached);

/// Returns whether a distance exceeds the range of its type, so that even a right answer is not the true length:
/// integers at saturated_distance, floats at infinity.
[[nodiscard]] bool has_saturated(weight_type type, std::span<const distance_bits> distances);
/// Overload for float64.
[[nodiscard]] bool has_saturated(std::span<const wide_distance_bits> distances);

/// Returns the message about distances for which has_saturated() is true. It follows the name of the graph.
[[nodiscard]] std::string saturated_message(weight_type type);

}  // namespace mlmq::graph
