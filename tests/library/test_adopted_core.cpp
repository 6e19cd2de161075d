// SPDX-License-Identifier: Apache-2.0
// A session removes leaves and chains once its searches have taken as long as removing them.
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "mlmq/mlmq.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

digraph digraph_of(const graph::csr_graph& graph) {
  return digraph::from_rows({graph.offsets().begin(), graph.offsets().end()},
                            {graph.targets().begin(), graph.targets().end()},
                            std::vector<std::uint32_t>(graph.weight_bits().begin(), graph.weight_bits().end()));
}

std::vector<std::uint32_t> words_of(const solution& answer) {
  const auto distances = answer.distances_uint32();
  return {distances.begin(), distances.end()};
}

/// Searches from the first vertices until a search is of the core, or up to `most` times. Checks all distances.
/// @return the reason of the first search of the core
std::optional<std::string> search_until_reduced(solver& searching, const graph::csr_graph& graph, vertex sources,
                                                unsigned most, const std::string& reduction = "reduction=chains") {
  for (unsigned i = 0; i < most; ++i) {
    const vertex source = i * 37 % sources;
    const solution answer = searching.solve(source);
    REQUIRE(words_of(answer) == graph::dijkstra(graph, source));
    if (answer.choice().configuration.find(reduction) != std::string::npos) return answer.choice().reason;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("processors search the core once searches have taken as long as removing leaves and chains") {
  solver searching(device("cpu:2"), digraph_of(graph::generate_road(12)));
  const graph::csr_graph graph = graph::generate_road(12);
  // Each search takes at least a thousandth of the time of the removal.
  const std::optional<std::string> reason = search_until_reduced(searching, graph, graph.vertex_count(), 20'000);
  REQUIRE(reason);
  CHECK_THAT(*reason, Contains("; without leaves and chains, since the searches have taken as long as removing them"));
  // Whether the core stays depends on the times of the next searches, but not their answers.
  (void)search_until_reduced(searching, graph, 100, 3);
  for (unsigned i = 0; i < 20; ++i) {
    REQUIRE(words_of(searching.solve(i)) == graph::dijkstra(graph, i));
  }
  solve_options counting;
  counting.counters = true;
  CHECK_THAT(searching.solve(5, counting).choice().configuration, !Contains("reduction"));
}

TEST_CASE("a device with kernels then removes vertices with few neighbours, and keeps to it after new weights") {
  const graph::csr_graph graph = graph::generate_road(7);
  solver searching(device("simt:2x8"), digraph_of(graph));
  const auto reason = search_until_reduced(searching, graph, graph.vertex_count(), 2'000, "reduction=core");
  REQUIRE(reason);
  CHECK_THAT(*reason, Contains("; without leaves, chains and vertices with few neighbours, since the searches have"));
  std::vector<std::uint32_t> weights(graph.edge_count());
  for (std::size_t e = 0; e < weights.size(); ++e) weights[e] = static_cast<std::uint32_t>(e * 7919 % 1000);
  searching.update_weights(weights);
  // The first ones may be of the whole graph, until another thread has compiled.
  CHECK(search_until_reduced(searching, graph.with_weights(weights), 100, 2'000, "reduction=core"));
}

TEST_CASE("a device with kernels removes leaves and chains itself, and takes a configuration for the core") {
  // Four vertices, each joined with every other by a long chain: searches take long by queue, but not in the core.
  graph::edge_list edges;
  constexpr vertex corners = 4;
  vertex next = corners;
  for (vertex v = 0; v < corners; ++v) {
    for (vertex u = v + 1; u < corners; ++u) {
      vertex last = v;
      for (unsigned i = 0; i <= 150; ++i) {
        const vertex target = i == 150 ? u : next++;
        edges.add(last, target, 1 + (u * 7 + i) % 9);
        edges.add(target, last, 1 + (v * 5 + i) % 9);
        last = target;
      }
    }
  }
  const graph::csr_graph graph = graph::build_csr(next, edges);
  solver searching(device("simt:2x8"), digraph_of(graph));
  const std::optional<std::string> reason = search_until_reduced(searching, graph, graph.vertex_count(), 200);
  REQUIRE(reason);
  CHECK_THAT(*reason, Contains("; without leaves and chains, since the searches have taken as long as removing them"));
  for (unsigned i = 0; i < 10; ++i) {
    const vertex source = i * 131 % graph.vertex_count();
    REQUIRE(words_of(searching.solve(source)) == graph::dijkstra(graph, source));
  }
}

TEST_CASE("after new weights, searches stay those of the core, whose vertices are not computed again") {
  const graph::csr_graph graph = graph::generate_road(12);
  solver searching(device("cpu:2"), digraph_of(graph));
  REQUIRE(search_until_reduced(searching, graph, graph.vertex_count(), 20'000));
  std::vector<std::uint32_t> weights(graph.edge_count());
  for (std::size_t e = 0; e < weights.size(); ++e) weights[e] = static_cast<std::uint32_t>(e * 7919 % 1000);
  searching.update_weights(weights);
  CHECK(search_until_reduced(searching, graph.with_weights(weights), 100, 1));
}

TEST_CASE("many searches on processors are of the core if there are enough of them") {
  solver searching(device("cpu:2"), digraph_of(graph::generate_power_law(8192, 3)));
  std::vector<vertex> sources(2000);
  for (vertex v = 0; v < sources.size(); ++v) sources[v] = 4 * v;
  const auto configuration_of = [&](std::size_t count) {
    const auto searched = std::span<const vertex>(sources).first(count);
    return searching.solve_many(searched, {.targets = {5, 100, 8000}, .check = true}).choice.configuration;
  };
  CHECK(configuration_of(2) == "solver=cpu_dijkstra");
  CHECK(configuration_of(2000) == "reduction=chains,solver=cpu_dijkstra");
}

TEST_CASE("a graph whose chains are too long for weights is searched as a whole, again and again") {
  // Four vertices, each joined with every other, and fifty chains from the first to the second.
  graph::edge_list edges;
  for (vertex v = 0; v < 4; ++v) {
    for (vertex u = 0; u < 4; ++u) {
      if (u != v) edges.add(v, u, 1);
    }
  }
  for (vertex v = 4; v < 54; ++v) {
    edges.add(0, v, 3'000'000'000);
    edges.add(v, 1, 2'000'000'000);
  }
  const graph::csr_graph graph = graph::build_csr(54, edges);
  solver searching(device("cpu:1"), digraph_of(graph));
  CHECK_FALSE(search_until_reduced(searching, graph, 4, 1000));
}
