// SPDX-License-Identifier: Apache-2.0
// An upper bound for the distances in a graph.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns a number of edges over which any vertex can be reached from any other from which it can be reached at all.
/// Depends on the edges alone. Sums up, for each strongly connected component, twice a depth of breadth-first search.
[[nodiscard]] std::uint64_t hop_bound(const csr_graph& graph);

/// Finds whether the distances of a graph are small, again after each change of its weights.
class distance_bound {
 public:
  /// Returns an upper bound for all distances between vertices that are connected, which is at most `enough` if one of
  /// the known bounds is: the sum of the heaviest edges from each vertex, or the heaviest edge times hop_bound().
  /// @param graph has weights of uint32, and always the same edges
  [[nodiscard]] std::uint64_t find(const csr_graph& graph, std::uint64_t enough);
  /// Like find(), without the first of these bounds.
  /// @param structure the graph with any weights
  [[nodiscard]] std::uint64_t find(const csr_graph& structure, std::uint32_t heaviest, std::uint64_t enough);

 private:
  std::optional<std::uint64_t> hops_;
};

}  // namespace mlmq::graph
