// SPDX-License-Identifier: Apache-2.0
// Random graphs for searches that cut the rows of hubs, or look through their incoming edges.
#pragma once

#include <cstdint>
#include <random>

#include "graph/builder.hpp"

namespace mlmq::problems::tests {

/// Returns a graph of up to 90 vertices: directed or not, in several components, with loops and parallel edges, with
/// hubs that have many outgoing or incoming edges, and weights from `lightest` to `heaviest`.
inline graph::csr_graph random_hub_graph(std::mt19937& draw, std::uint32_t lightest, std::uint32_t heaviest) {
  const auto below = [&](std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(draw);
  };
  const std::uint32_t n = 1 + below(90);
  const std::uint32_t m = below(1 + n * (1 + below(6)));
  graph::edge_list edges;
  const std::uint32_t hub = below(n);
  const std::uint32_t shape = below(4);
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::uint32_t source = shape == 1 && below(2) == 0 ? hub : below(n);
    const std::uint32_t target = shape == 2 && below(2) == 0 ? hub : shape == 3 ? (source + below(3)) % n : below(n);
    edges.add(source, target, lightest + below(heaviest - lightest + 1));
  }
  return graph::build_csr(n, edges, {.symmetric = below(2) == 0});
}

}  // namespace mlmq::problems::tests
