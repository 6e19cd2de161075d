// SPDX-License-Identifier: Apache-2.0
// The reference search and the checker, each against something simpler.
#include <catch2/catch.hpp>
#include <limits>

#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/check.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "tests/graph/support.hpp"
#include "tests/support/bellman_ford.hpp"

using mlmq::random_stream;
using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;
using distances = std::vector<distance_bits>;
using integers = std::vector<std::uint32_t>;

namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Returns a graph of few vertices with many zero, equal and huge weights, and with parts that cannot be reached.
csr_graph random_graph(std::uint64_t seed) {
  random_stream random({seed});
  const std::uint64_t vertices = 1 + random.below(30);
  const std::uint64_t edge_count = random.below(4 * vertices);
  edge_list edges;
  edges.type = seed % 2 == 0 ? weight_type::uint32 : weight_type::float32;
  for (std::uint64_t i = 0; i < edge_count; ++i) {
    const auto u = static_cast<vertex_id>(random.below(vertices));
    const auto v = static_cast<vertex_id>(random.below(vertices));
    const auto weight = static_cast<std::uint32_t>(random.below(5));
    if (edges.type == weight_type::uint32) {
      edges.add(u, v, weight == 4 ? 0x70000000u : weight);
    } else {
      edges.add(u, v, weight == 4 ? bits(2e38f) : bits(0.1f * static_cast<float>(weight)));
    }
  }
  return build_csr(vertices, edges);
}

std::string check_message(const csr_graph& graph, vertex_id source, const distances& distance) {
  const check_result result = check_distances(graph, source, distance);
  CHECK(result.ok == result.message.empty());
  return result.message;
}

}  // namespace

TEST_CASE("Dijkstra agrees with Bellman-Ford, and the checker with both") {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const csr_graph graph = random_graph(seed);
    const vertex_id source = static_cast<vertex_id>(seed % graph.vertex_count());
    const distances expected = mlmq::tests::bellman_ford(graph, source);
    REQUIRE(dijkstra(graph, source) == expected);
    REQUIRE(check_distances(graph, source, expected).message.empty());
    // Any single change must be found.
    random_stream random({seed, 1});
    for (int change = 0; change < 8; ++change) {
      distances wrong = expected;
      distance_bits& victim = wrong[random.below(wrong.size())];
      switch (random.below(4)) {
        case 0:
          victim += 1;
          break;
        case 1:
          victim -= 1;
          break;
        case 2:
          victim = unreached;
          break;
        default:
          victim = static_cast<distance_bits>(random.next());
      }
      if (wrong == expected) continue;
      REQUIRE_FALSE(check_distances(graph, source, wrong).ok);
    }
  }
}

TEST_CASE("generated graphs check out") {
  for (const char* name : {"road10", "del10", "rmat10", "power10"}) {
    const generated_graph generated = generate_named(name);
    const distances distance = dijkstra(generated.graph, generated.source);
    CHECK(check_distances(generated.graph, generated.source, distance).ok);
    CHECK_FALSE(has_saturated(generated.graph.weights(), distance));
  }
}

TEST_CASE("the checker names the error") {
  const csr_graph graph({0, 2, 3, 3, 3}, {1, 2, 2}, integers{4, 9, 3});
  CHECK(check_message(graph, 0, {0, 4, 7, unreached}).empty());
  CHECK_THAT(check_message(graph, 0, {0, 4, 7}), Contains("3 distances for 4 vertices"));
  CHECK_THAT(check_message(graph, 0, {1, 4, 7, unreached}), Contains("source 0 has distance 1, expected 0"));
  CHECK_THAT(check_message(graph, 0, {unreached, 4, 7, unreached}), Contains("source 0 has distance unreached"));
  CHECK_THAT(check_message(graph, 0, {0, 4, 9, unreached}),
             Contains("vertex 2 has distance 9, but vertex 1 with distance 4 and edge 2 of weight 3 "
                      "give distance 7"));
  CHECK_THAT(check_message(graph, 0, {0, 4, 6, unreached}),
             Contains("vertex 2 has distance 6, but no path from source 0 has that length"));
  CHECK_THAT(check_message(graph, 0, {0, 4, unreached, unreached}),
             Contains("vertex 2 has distance unreached, but vertex 0"));
  CHECK_THAT(check_message(graph, 0, {0, 4, 7, 12}), Contains("vertex 3 has distance 12, but no path"));
  CHECK_THAT(error_of([&] { return check_distances(graph, 4, distances(4, 0)); }),
             Contains("source 4 is not a vertex; the graph has 4 vertices"));
  CHECK_THAT(error_of([&] { return dijkstra(graph, 4); }), Contains("source 4 is not a vertex"));
  CHECK_THAT(error_of([&] { return dijkstra(csr_graph(), 0); }), Contains("the graph has 0 vertices"));
}

TEST_CASE("vertices that only support each other are found") {
  // 0 -> 1 has length 10, and 1 <-> 2 length 0. If both 1 and 2 had distance 5, each would be tight with the other.
  const csr_graph zero({0, 1, 2, 3}, {1, 2, 1}, integers{10, 0, 0});
  CHECK(check_message(zero, 0, {0, 10, 10}).empty());
  CHECK_THAT(check_message(zero, 0, {0, 5, 5}), Contains("vertex 1 has distance 5, but no path"));

  // Edges whose weight is lost to rounding behave the same.
  const csr_graph rounded({0, 1, 2, 3}, {1, 2, 1}, std::vector<float>{4e8f, 1.0f, 1.0f});
  CHECK(check_message(rounded, 0, {0, bits(4e8f), bits(4e8f)}).empty());
  CHECK_THAT(check_message(rounded, 0, {0, bits(2e8f), bits(2e8f)}), Contains("vertex 1 has distance 2"));

  // So do saturated distances, on an island that no path reaches.
  const csr_graph island({0, 0, 1, 2}, {2, 1}, integers{5, 5});
  CHECK(check_message(island, 0, {0, unreached, unreached}).empty());
  CHECK_THAT(check_message(island, 0, {0, saturated_distance, saturated_distance}),
             Contains("vertex 1 has distance 4294967294, but no path"));
}

TEST_CASE("floats: one unit in the last place is wrong") {
  const csr_graph graph({0, 1, 2, 2}, {1, 2}, std::vector<float>{0.1f, 0.2f});
  const distance_bits right = bits(0.1f + 0.2f);
  CHECK(dijkstra(graph, 0) == distances{0, bits(0.1f), right});
  CHECK(check_message(graph, 0, {0, bits(0.1f), right}).empty());
  CHECK_THAT(check_message(graph, 0, {0, bits(0.1f), right + 1}), Contains("vertex 2"));
  CHECK_THAT(check_message(graph, 0, {0, bits(0.1f), right - 1}), Contains("vertex 2"));
  CHECK_FALSE(check_message(graph, 0, {0, bits(0.1f), bits(-1.0f)}).empty());
  CHECK_FALSE(check_message(graph, 0, {0, bits(0.1f), 0x7FC00000u}).empty());
}

TEST_CASE("saturated distances are right and reported") {
  const csr_graph graph({0, 1, 2, 2}, {1, 2}, integers{0xFFFFFFF0u, 0xF0u});
  const distances distance = dijkstra(graph, 0);
  CHECK(distance == distances{0, 0xFFFFFFF0u, saturated_distance});
  CHECK(check_distances(graph, 0, distance).ok);
  CHECK(has_saturated(weight_type::uint32, distance));
  CHECK_FALSE(has_saturated(weight_type::uint32, distances{0, 5, unreached}));
  CHECK(has_saturated(weight_type::float32, distances{0, bits(std::numeric_limits<float>::infinity())}));
  CHECK_FALSE(has_saturated(weight_type::float32, distances{0, unreached}));
}

TEST_CASE("the checker knows the cutoff of a search") {
  const csr_graph chain({0, 1, 2, 3, 3}, {1, 2, 3}, std::vector<std::uint32_t>{2, 3, 4});
  const auto error = [&](const distances& tested, wide_distance_bits cutoff) {
    return check_distances(chain, 0, tested, cutoff).message;
  };
  CHECK(error({0, 2, 5, 9}, 9).empty());
  CHECK(error({0, 2, 5, unreached}, 8).empty());
  CHECK(error({0, 2, 5, unreached}, 5).empty());
  CHECK_THAT(error({0, 2, 5, unreached}, 9), Contains("vertex 3 has distance unreached"));
  CHECK_THAT(error({0, 2, 5, 9}, 8), Contains("vertex 3 has distance 9, which is beyond the cutoff"));
  CHECK_THAT(error({0, 2, unreached, unreached}, 5), Contains("vertex 2 has distance unreached"));
}
