// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/chain_graph.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace mlmq::oracle {

graph::csr_graph chains_of_all_kinds(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return static_cast<graph::vertex_id>(random() % limit); };
  std::vector<std::array<std::uint32_t, 3>> edges;
  // Neighbours of each other that have too many to be eliminated.
  const bool is_dense = seed % 3 == 0;
  graph::vertex_id n = is_dense ? 9 : 4 + below(4);
  const auto join = [&](graph::vertex_id a, graph::vertex_id b) {
    const graph::vertex_id ways = below(8);  // both ways mostly
    if (ways != 0) edges.push_back({a, b, below(5) == 0 ? 0 : below(100)});
    if (ways != 1) edges.push_back({b, a, below(5) == 0 ? 0 : below(100)});
  };
  for (graph::vertex_id a = 0; is_dense && a < n; ++a) {
    for (graph::vertex_id b = 0; b < a; ++b) join(a, b);
  }
  for (unsigned i = is_dense ? below(24) : 0; i > 0; --i, ++n) {
    for (unsigned neighbours = 2 + below(4); neighbours > 0; --neighbours) join(n, below(n));
  }
  const graph::vertex_id core = n;
  for (unsigned i = below(10); i > 0; --i) join(below(core), below(core));
  for (unsigned i = 3 + below(12); i > 0; --i) {
    const graph::vertex_id one_way = below(3);
    const graph::vertex_id kind = below(8);
    graph::vertex_id last = kind == 7 ? n++ : below(kind < 6 ? core : n);
    const graph::vertex_id begin = last;
    for (unsigned length = below(9); length > 0; --length) {
      if (one_way == 0) {
        edges.push_back({last, n, below(100)});
      } else {
        join(last, n);
      }
      last = n++;
    }
    if (kind < 4) join(last, below(core));
    if (kind == 7) join(last, begin);
  }
  std::ranges::sort(edges);
  std::vector<graph::edge_offset> offsets(n + std::size_t{1}, 0);
  std::vector<graph::vertex_id> targets;
  std::vector<std::uint32_t> weights;
  for (const auto& [source, target, weight] : edges) {
    ++offsets[source + std::size_t{1}];
    targets.push_back(target);
    weights.push_back(weight);
  }
  for (std::size_t v = 0; v < n; ++v) offsets[v + 1] += offsets[v];
  return graph::csr_graph(offsets, targets, weights);
}

}  // namespace mlmq::oracle
