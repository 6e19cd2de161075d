// SPDX-License-Identifier: Apache-2.0
// Invariants of all graphs.
#pragma once

#include <algorithm>

#include "graph/csr.hpp"
#include "tests/fuzz/require.hpp"

namespace mlmq::fuzz {

inline void require_valid(const graph::csr_graph& graph) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  const auto weights = graph.weight_bits();
  require(graph.vertex_count() > 0, "a graph has vertices");
  require(offsets.size() == graph.vertex_count() + std::size_t{1}, "there is one offset more than vertices");
  require(offsets.front() == 0 && offsets.back() == targets.size(), "the offsets go from 0 to the number of edges");
  require(std::is_sorted(offsets.begin(), offsets.end()), "offsets do not fall");
  require(weights.size() == targets.size(), "every edge has a weight");
  require(std::all_of(targets.begin(), targets.end(), [&](auto target) { return target < graph.vertex_count(); }),
          "every edge leads to a vertex");
  constexpr std::uint32_t infinity = 0x7F800000u;  // as bits, NaN and all negative numbers, -0 included, are larger
  require(graph.weights() != graph::weight_type::float32 ||
              std::all_of(weights.begin(), weights.end(), [](std::uint32_t bits) { return bits < infinity; }),
          "weights are finite and not negative");
}

/// Returns whether two graphs are equal. Without edges, the type of the weights is not compared: no file format records
/// it.
inline bool same_graph(const graph::csr_graph& a, const graph::csr_graph& b) {
  return std::ranges::equal(a.offsets(), b.offsets()) && std::ranges::equal(a.targets(), b.targets()) &&
         std::ranges::equal(a.weight_bits(), b.weight_bits()) && (a.edge_count() == 0 || a.weights() == b.weights());
}

}  // namespace mlmq::fuzz
