// SPDX-License-Identifier: Apache-2.0
// Random graphs of 1 to 12 vertices with all difficult kinds of weights, and their distances by brute force.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::oracle {

struct tiny_edge {
  graph::vertex_id source;
  graph::vertex_id target;
  std::uint32_t weight_bits;
};

/// A list of edges, sorted by `source`; independent of the program's graph code.
struct tiny_graph {
  graph::weight_type type = graph::weight_type::uint32;
  graph::vertex_id vertices = 1;
  std::vector<tiny_edge> edges;

  [[nodiscard]] std::vector<std::uint64_t> offsets() const;
  [[nodiscard]] std::vector<graph::vertex_id> targets() const;
  [[nodiscard]] std::vector<std::uint32_t> integers() const;
  [[nodiscard]] std::vector<float> floats() const;
  [[nodiscard]] graph::csr_graph csr() const;
  /// Returns the graph as the text of a DIMACS file.
  [[nodiscard]] std::string text() const;
};

/// Returns a random graph; the same seed gives the same graph on every machine. The graphs have self-loops, parallel
/// edges, unreachable parts, many edges of length 0, equal lengths, the largest weights and, for floats, the smallest.
[[nodiscard]] tiny_graph random_tiny_graph(std::uint64_t seed);

/// Returns the distances by their definition: the least length over all paths of at most n - 1 edges, built by
/// appending edges. Integer lengths are summed in 64 bits and saturated to 32 bits at the end; float lengths are
/// rounded after each edge.
/// @param unit_weights every edge has length 1, of type uint32
[[nodiscard]] std::vector<graph::distance_bits> brute_force(const tiny_graph& graph, graph::vertex_id source,
                                                            bool unit_weights = false);

}  // namespace mlmq::oracle
