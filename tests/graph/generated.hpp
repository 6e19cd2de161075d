// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of generated graphs: lists of edges, and the invariants of undirected graphs.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/csr.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"

namespace mlmq::graph::test {

struct edge {
  vertex_id source;
  vertex_id target;
  std::uint32_t weight;
};

inline std::vector<edge> edges_of(const csr_graph& graph) {
  std::vector<edge> edges;
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    for (edge_offset i = graph.offsets()[u]; i < graph.offsets()[u + 1u]; ++i) {
      edges.push_back({u, graph.targets()[i], graph.weight_bits()[i]});
    }
  }
  return edges;
}

/// Checks that every edge has a reverse edge of the same weight, and that the graph has neither self-loops nor
/// parallel edges.
inline void check_simple_and_symmetric(const csr_graph& graph) {
  std::map<std::pair<vertex_id, vertex_id>, std::uint32_t> weights;
  for (const edge& e : edges_of(graph)) {
    REQUIRE(e.source != e.target);
    REQUIRE(weights.emplace(std::pair(e.source, e.target), e.weight).second);
  }
  for (const auto& [ends, weight] : weights) REQUIRE(weights.at({ends.second, ends.first}) == weight);
}

inline double reached_share(const csr_graph& graph, vertex_id source) {
  const auto distance = dijkstra(graph, source);
  const auto missed = std::count(distance.begin(), distance.end(), unreached);
  return 1 - static_cast<double>(missed) / static_cast<double>(distance.size());
}

inline csr_graph graph_named(const std::string& name) { return generate_named(name).graph; }

/// Returns the smallest weight that is at least as large as the weights of a share `q` of the edges.
inline std::uint32_t weight_quantile(const csr_graph& graph, double q) {
  std::vector<std::uint32_t> weights(graph.weight_bits().begin(), graph.weight_bits().end());
  std::sort(weights.begin(), weights.end());
  return weights.at(static_cast<std::size_t>(q * static_cast<double>(weights.size() - 1)));
}

}  // namespace mlmq::graph::test
