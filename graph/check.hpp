// SPDX-License-Identifier: Apache-2.0
// Proof that distances are right, without computing them again.
#pragma once

#include <span>
#include <string>

#include "graph/csr.hpp"

namespace mlmq::graph {

struct check_result {
  bool ok = false;
  std::string message;  ///< when not ok: the first offending vertex (by its id) or edge, with numbers
};

/// Whether `distances` are exactly the shortest ones from `source`, in O(n + m):
///  - one for each vertex, 0 for the source;
///  - no edge offers a shorter way (so none is too large, and none is missing);
///  - every reached vertex can be reached from the source over tight edges, those with
///    distance[v] == extend(distance[u], weight) (so none is too small). A tight edge into each
///    vertex would not do: vertices on a cycle of zero-weight, rounded-away or saturated edges can
///    vouch for each other's wrong distances.
/// @throws input_error when source is not a vertex
[[nodiscard]] check_result check_distances(const csr_graph& graph, vertex_id source,
                                           std::span<const distance_bits> distances);
/// Overload for graphs with float64 weights.
[[nodiscard]] check_result check_distances(const csr_graph& graph, vertex_id source,
                                           std::span<const wide_distance_bits> distances);

/// Whether a distance is outside what its type holds, so that a right answer still does not tell the
/// true length: integers at saturated_distance, floats at infinity.
[[nodiscard]] bool has_saturated(weight_type type, std::span<const distance_bits> distances);
/// Overload for float64.
[[nodiscard]] bool has_saturated(std::span<const wide_distance_bits> distances);

/// Message about an answer that has_saturated(), after the name of its graph.
inline constexpr const char* saturated_message =
    "a distance is beyond 32 bits; scale the weights down or use decimal weights";

}  // namespace mlmq::graph
