// SPDX-License-Identifier: Apache-2.0
// Betweenness in the library: scaling, samples, stopping, and refused input.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "mlmq/mlmq.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

std::vector<std::string> devices() { return {"simt", "cpu:2"}; }

/// Returns 0 - 1 - 2 - 3, with every edge in both directions, and a vertex 4 without edges.
digraph path_and_one(std::vector<std::uint32_t> weights = {1, 1, 1, 1, 1, 1}) {
  return digraph::from_rows({0, 1, 3, 5, 6, 6}, {1, 0, 2, 1, 3, 2}, std::move(weights), "the path");
}

}  // namespace

TEST_CASE("scores add up over pairs, for every option") {
  for (const std::string& device_name : devices()) {
    CAPTURE(device_name);
    solver solver(device(device_name), path_and_one());
    const auto values = [&](const betweenness_options& options) { return solver.betweenness(options).values; };
    CHECK(values({}) == std::vector<double>{0, 2, 2, 0, 0});
    CHECK(values({.pairs = vertex_pairs::ordered}) == std::vector<double>{0, 4, 4, 0, 0});
    CHECK(values({.endpoints = true, .pairs = vertex_pairs::ordered}) == std::vector<double>{6, 10, 10, 6, 0});
    CHECK(values({.normalized = true}) == std::vector<double>{0, 4 * (1.0 / 12), 4 * (1.0 / 12), 0, 0});
    CHECK(values({.normalized = true, .endpoints = true})[1] == Approx(10.0 / 20));
    const betweenness_scores scores = solver.betweenness({.check = true});
    CHECK(scores.exact());
    CHECK(scores.complete);
    CHECK(scores.unordered_pairs);
    CHECK(scores.sources == 4);
    CHECK(scores.population == 4);
  }
}

TEST_CASE("a graph is undirected when every edge has one of the same weight back") {
  devices();
  CHECK_FALSE(solver(device("cpu:1"), path_and_one({1, 2, 1, 1, 1, 1})).betweenness().unordered_pairs);
  // Levels ignore weights.
  CHECK(solver(device("cpu:1"), path_and_one({1, 2, 1, 1, 1, 1}), problem::bfs).betweenness().unordered_pairs);
}

TEST_CASE("samples are drawn among vertices with edges, and scaled to all of them") {
  const digraph graph = digraph::open("rmat7");
  for (const std::string& device_name : devices()) {
    CAPTURE(device_name);
    solver solver(device(device_name), graph);
    const betweenness_scores exact = solver.betweenness();
    CHECK(exact.exact());
    CHECK(exact.population < graph.vertex_count());
    const betweenness_scores some = solver.betweenness({.samples = 30, .check = true});
    CHECK_FALSE(some.exact());
    CHECK(some.sources == 30);
    const auto sum = [](const std::vector<double>& values) {
      return std::accumulate(values.begin(), values.end(), 0.0);
    };
    CHECK(sum(some.values) == Approx(sum(exact.values)).epsilon(0.2));
    CHECK(some.values != exact.values);
    CHECK(solver.betweenness({.samples = 30}).values == some.values);
    CHECK(solver.betweenness({.samples = 30, .seed = 2}).values != some.values);
    CHECK(solver.betweenness({.samples = exact.population}).values == exact.values);
  }
}

TEST_CASE("a progress callback can stop the computation, which then returns an estimate") {
  const digraph graph = digraph::open("road11");
  solver solver(device("cpu:1"), graph);
  std::size_t calls = 0;
  const betweenness_scores scores = solver.betweenness({.check = true}, [&](const betweenness_progress& now) {
    CHECK(now.sources_done > 0);
    CHECK(now.sources > 1500);
    CHECK(now.seconds > 0);
    return ++calls < 2;
  });
  CHECK(calls == 2);
  CHECK_FALSE(scores.complete);
  CHECK_FALSE(scores.exact());
  CHECK(scores.sources < scores.population);
  // The finished sources are the same as those of a sample of that size.
  CHECK(solver.betweenness({.samples = scores.sources}).values == scores.values);
  CHECK_THROWS_AS(
      solver.betweenness({}, [](const betweenness_progress&) -> bool { throw std::runtime_error("enough"); }),
      std::runtime_error);
}

TEST_CASE("a graph without edges has scores of 0") {
  for (const std::string& device_name : devices()) {
    const betweenness_scores scores =
        solver(device(device_name), digraph::from_rows({0, 0, 0}, {}, std::vector<std::uint32_t>{})).betweenness();
    CHECK(scores.values == std::vector<double>{0, 0});
    CHECK(scores.exact());
  }
}

TEST_CASE("invalid options, and graphs whose paths cannot be counted, are input errors") {
  for (const std::string& device_name : devices()) {
    CAPTURE(device_name);
    solver solver(device(device_name), path_and_one());
    CHECK_THROWS_AS(solver.betweenness({.samples = 0}), input_error);
    CHECK_THROWS_AS(solver.betweenness({.time_limit_ms = 0}), input_error);
    CHECK_THROWS_AS(solver.betweenness({.configurations = {"threads=none"}}), input_error);
    if (device_name == "simt") CHECK_THROWS_AS(solver.betweenness({.memory_bytes = 4}), memory_error);
    CHECK_THROWS_AS(
        solver.betweenness({.configurations = {device_name == "simt" ? "solver=cpu_brandes" : "solver=block"}}),
        unsuitable_error);
    mlmq::solver free_edges(device(device_name), path_and_one({0, 0, 1, 1, 1, 1}));
    CHECK_THROWS_WITH(free_edges.betweenness(), Contains("the path") && Contains("weight 0"));
    CHECK(solver.betweenness().values[1] == 2);
  }
}

TEST_CASE("weights of 8 bytes are refused, unless edges are counted") {
  devices();
  const digraph wide =
      digraph::from_rows({0, 1, 3, 5, 6, 6}, {1, 0, 2, 1, 3, 2}, std::vector<double>(6, 0.1), "the path");
  solver lengths(device("cpu:1"), wide);
  CHECK_THROWS_WITH(lengths.betweenness(), Contains("the path: ") && Contains("float64") && Contains("float32"));
  CHECK_THROWS_AS(lengths.betweenness(), input_error);
  CHECK(lengths.solve(0).distance(1) == 0.1);
  CHECK(solver(device("cpu:1"), wide, problem::bfs).betweenness({.check = true}).values ==
        std::vector<double>{0, 2, 2, 0, 0});
}
