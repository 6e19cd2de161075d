// SPDX-License-Identifier: Apache-2.0
#include "graph/place_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "graph/adversarial.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"

using namespace mlmq;
using namespace mlmq::graph;
using Catch::Contains;

namespace {

/// Returns the share of edges whose two ends are in the same aligned range of `width` vertices.
double share_within(const csr_graph& graph, vertex_id width) {
  std::size_t within = 0;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    for (edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
      if (graph.targets()[e] / width == v / width) ++within;
    }
  }
  return static_cast<double>(within) / static_cast<double>(graph.edge_count());
}

csr_graph shuffled(const csr_graph& graph) {
  std::vector<vertex_id> order(graph.vertex_count());
  std::iota(order.begin(), order.end(), vertex_id{0});
  std::ranges::shuffle(order, std::mt19937(7));
  return renumbered(graph, order);
}

}  // namespace

TEST_CASE("the order has every vertex once, also of graphs without edges, with loops, or of several parts") {
  const std::vector<std::uint32_t> unit(5, 1);
  for (const csr_graph& graph : {csr_graph(), csr_graph({0, 0, 0, 0}, {}, std::vector<std::uint32_t>{}),
                                 csr_graph({0, 1, 3, 3, 5}, {0, 0, 3, 1, 3}, unit), generate_road(9), generate_rmat(9),
                                 generate_delaunay(700)}) {
    std::vector<vertex_id> order = place_order(graph);
    REQUIRE(order.size() == graph.vertex_count());
    CHECK(order == place_order(graph));
    std::ranges::sort(order);
    for (vertex_id v = 0; v < order.size(); ++v) REQUIRE(order[v] == v);
  }
}

TEST_CASE("neighbours are near each other, however the vertices were numbered") {
  for (const csr_graph& graph : {generate_road(12), generate_delaunay(4096)}) {
    const csr_graph mixed = shuffled(graph);
    const csr_graph placed = renumbered(mixed, place_order(mixed));
    CHECK(share_within(mixed, 32) < 0.02);
    // By chance, 0.008 of the edges would lie within a range. In a grid, a square of 32 vertices would keep two thirds
    // of its edges.
    CHECK(share_within(placed, 32) > 0.5);
    CHECK(share_within(placed, 256) > 0.75);
  }
}

TEST_CASE("communities stay together") {
  const csr_graph mixed = shuffled(generate_named("community13").graph);
  // If the matching ignored how many edges clusters share, the share would be 0.35.
  CHECK(share_within(renumbered(mixed, place_order(mixed)), 256) > 0.5);
}

TEST_CASE("a renumbered graph has the same paths") {
  for (const csr_graph& graph : {generate_road(8), with_weight_type(generate_rmat(8), weight_type::float32)}) {
    const std::vector<vertex_id> order = place_order(graph);
    const std::vector<vertex_id> ranks = ranks_of(order);
    const csr_graph placed = renumbered(graph, order);
    CHECK(placed.weights() == graph.weights());
    for (const vertex_id source : {vertex_id{3}, vertex_id{100}}) {
      const auto right = dijkstra(graph, source);
      const auto distances = dijkstra(placed, ranks[source]);
      for (vertex_id v = 0; v < graph.vertex_count(); ++v) REQUIRE(distances[ranks[v]] == right[v]);
    }
  }
}

TEST_CASE("weights of 8 bytes keep all their bits in another order") {
  const csr_graph graph = with_adversarial_weights(generate_rmat(7), weight_type::float64);
  const std::vector<vertex_id> order = place_order(graph);
  const std::vector<vertex_id> ranks = ranks_of(order);
  const csr_graph placed = renumbered(graph, order);
  REQUIRE(placed.weights() == weight_type::float64);
  const auto right = wide_dijkstra(graph, 3);
  const auto distances = wide_dijkstra(placed, ranks[3]);
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) REQUIRE(distances[ranks[v]] == right[v]);
}

TEST_CASE("an invalid order of a graph's vertices is refused") {
  const csr_graph graph({0, 1, 2}, {1, 0}, std::vector<std::uint32_t>{1, 1});
  CHECK_THROWS_WITH(renumbered(graph, std::vector<vertex_id>{0}), Contains("1 vertices for a graph of 2"));
  CHECK_THROWS_WITH(renumbered(graph, std::vector<vertex_id>{1, 1}), Contains("1, which occurs twice"));
  CHECK_THROWS_AS(ranks_of(std::vector<vertex_id>{0, 2}), input_error);
}
