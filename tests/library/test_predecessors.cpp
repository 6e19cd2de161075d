// SPDX-License-Identifier: Apache-2.0
// Trees of shortest paths.
#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "library/predecessors.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using graph::csr_graph;
using graph::distance_bits;
using graph::no_predecessor;
using graph::vertex_id;
using graph::weight_type;

/// Returns for each vertex whether an edge from its predecessor is on a shortest path.
std::vector<bool> have_tight_edges(const csr_graph& graph, const std::vector<distance_bits>& distances,
                                   const std::vector<vertex_id>& tree) {
  std::vector<bool> tight(tree.size(), false);
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    for (auto i = graph.offsets()[u]; i < graph.offsets()[u + 1]; ++i) {
      const vertex_id v = graph.targets()[i];
      if (tree[v] == u && extend(graph.weights(), distances[u], graph.weight_bits()[i]) == distances[v])
        tight[v] = true;
    }
  }
  return tight;
}

/// Returns "" if `tree` is a tree of shortest paths, or else the error.
std::string flaw(const csr_graph& graph, vertex_id source, const std::vector<distance_bits>& distances,
                 const std::vector<vertex_id>& tree) {
  if (tree.size() != graph.vertex_count()) return "not one entry for each vertex";
  const std::vector<bool> tight = have_tight_edges(graph, distances, tree);
  std::vector<bool> rooted(tree.size(), false);
  rooted[source] = true;
  for (vertex_id v = 0; v < tree.size(); ++v) {
    const std::string name = "vertex " + std::to_string(v);
    if ((tree[v] == no_predecessor) != (v == source || distances[v] == graph::unreached)) {
      return name + (tree[v] == no_predecessor ? " has no predecessor" : " has one");
    }
    if (tree[v] == no_predecessor) continue;
    if (tree[v] >= tree.size()) return name + " has a predecessor that is not a vertex";
    if (!tight[v]) return name + " is not on a shortest path over its predecessor";
    std::vector<vertex_id> way;
    for (vertex_id u = v; !rooted[u]; u = tree[u]) {
      way.push_back(u);
      if (way.size() > tree.size()) return name + " is on or behind a circle";
      if (tree[u] == no_predecessor) return name + " does not hang on the source";
    }
    for (const vertex_id u : way) rooted[u] = true;
  }
  return "";
}

void check_tree(const csr_graph& graph, vertex_id source, bool unit_weights = false) {
  const csr_graph meant = unit_weights ? graph::with_unit_weights(graph) : graph;
  const std::vector<distance_bits> distances = graph::dijkstra(meant, source);
  const std::vector<vertex_id> tree = graph::predecessors(graph, unit_weights, source, distances, 1);
  CHECK(flaw(meant, source, distances, tree) == "");
  for (const unsigned threads : {0U, 2U, 5U}) {
    CHECK(graph::predecessors(graph, unit_weights, source, distances, threads) == tree);
  }
}

csr_graph graph_of(vertex_id n, const std::vector<std::array<std::uint32_t, 3>>& edges) {
  graph::edge_list list;
  for (const auto& [u, v, weight] : edges) list.add(u, v, weight);
  return graph::build_csr(n, list);
}

}  // namespace

TEST_CASE("the flaws of a tree are seen") {
  // 0 → 1 → 2 with a cycle of length 0 between 1 and 2, and a vertex 3 that is out of reach.
  const csr_graph graph = graph_of(4, {{0, 1, 5}, {1, 2, 0}, {2, 1, 0}, {3, 0, 1}});
  const std::vector<distance_bits> distances = graph::dijkstra(graph, 0);
  const auto with = [&](vertex_id first, vertex_id second, vertex_id third = no_predecessor) {
    return flaw(graph, 0, distances, {no_predecessor, first, second, third});
  };
  CHECK(with(0, 1).empty());
  CHECK(with(2, 1) == "vertex 1 is on or behind a circle");
  CHECK(with(0, 0) == "vertex 2 is not on a shortest path over its predecessor");
  CHECK(with(0, no_predecessor) == "vertex 2 has no predecessor");
  CHECK(with(0, 1, 0) == "vertex 3 has one");
  CHECK(flaw(graph, 0, distances, {no_predecessor, 0, 1}) == "not one entry for each vertex");
}

TEST_CASE("predecessors make a tree of shortest paths on every hard graph") {
  for (const auto weights : {weight_type::uint32, weight_type::float32}) {
    for (const auto& hard : problems::tests::hard_graphs(weights)) {
      for (const vertex_id source : hard.sources) {
        for (const bool unit_weights : {false, true}) {
          CAPTURE(hard.name, source, unit_weights, weights == weight_type::float32);
          check_tree(hard.graph, source, unit_weights);
        }
      }
    }
  }
}

TEST_CASE("predecessors of random graphs whose weights are mostly zero") {
  random_stream random({11});
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<vertex_id>(2 + random.below(40));
    std::vector<std::array<std::uint32_t, 3>> edges;
    for (std::size_t i = random.below(4 * n); i > 0; --i) {
      edges.push_back({static_cast<std::uint32_t>(random.below(n)), static_cast<std::uint32_t>(random.below(n)),
                       random.below(4) == 0 ? static_cast<std::uint32_t>(random.below(3)) : 0});
    }
    CAPTURE(round);
    const csr_graph graph = graph_of(n, edges);
    check_tree(graph, static_cast<vertex_id>(random.below(n)));
    check_tree(graph::with_weight_type(graph, graph::weight_type::float32), 0);
  }
}

TEST_CASE("of several predecessors that a distance tells apart the smallest is taken, over parallel edges too") {
  const csr_graph graph =
      graph_of(5, {{0, 3, 1}, {0, 2, 1}, {3, 4, 2}, {2, 4, 2}, {2, 4, 2}, {2, 4, 9}, {0, 1, 3}, {1, 4, 0}});
  const std::vector<distance_bits> distances = graph::dijkstra(graph, 0);
  CHECK(distances[4] == 3);
  CHECK(graph::predecessors(graph, false, 0, distances, 1) == std::vector<vertex_id>{no_predecessor, 0, 0, 0, 2});
}

TEST_CASE("a float that adds nothing to a distance leads on like a zero") {
  // Adding 1 to 1e8 changes nothing: vertices 1, 2 and 3 have the same distance and form a cycle.
  const csr_graph graph({0, 1, 2, 3, 5}, {1, 2, 3, 1, 2}, std::vector<float>{1e8f, 1, 1, 1, 1});
  const std::vector<distance_bits> distances = graph::dijkstra(graph, 0);
  CHECK(distances[3] == distances[1]);
  check_tree(graph, 0);
  CHECK(graph::predecessors(graph, false, 0, distances, 1) == std::vector<vertex_id>{no_predecessor, 0, 1, 2});
}

TEST_CASE("where distances are at their largest there is still a tree") {
  check_tree(graph_of(4, {{0, 1, 4294967290U}, {1, 2, 4294967290U}, {2, 3, 7}, {3, 2, 7}}), 0);
  check_tree(problems::tests::chain_to_infinity(), 0);
}

TEST_CASE("several threads share the edges of one row") {
  // Each thread has a part of the star's row: there are more edges than the minimum for starting a thread.
  check_tree(graph::generate_star(200'000), 0);
  check_tree(graph::generate_star(200'000), 77);
  check_tree(graph::generate_rmat(14, 16, 3), 0);
  check_tree(graph::generate_rmat(14, 16, 3), 1, true);
}
