// SPDX-License-Identifier: Apache-2.0
// Weights and distances of 8 bytes in the library.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mlmq/mlmq.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

/// Returns a path whose first edge has length 2^22, and the others 0.1.
template <class Weight>
digraph long_path(vertex vertices) {
  std::vector<std::uint64_t> offsets(vertices + std::size_t{1});
  std::vector<vertex> targets(vertices - 1);
  std::iota(offsets.begin(), offsets.end(), std::uint64_t{0});
  offsets.back() = vertices - 1;
  std::iota(targets.begin(), targets.end(), vertex{1});
  std::vector<Weight> weights(vertices - 1, static_cast<Weight>(0.1));
  weights.front() = 4194304;
  return digraph::from_rows(offsets, targets, weights, "path");
}

std::vector<std::string> devices() { return {"simt", "cpu:2"}; }

}  // namespace

TEST_CASE("distances of 8 bytes are right where additions in 4 bytes change nothing") {
  constexpr vertex vertices = 1000;
  const digraph wide = long_path<double>(vertices);
  CHECK(wide.weight_type() == number_type::float64);
  for (const std::string& device_name : devices()) {
    CAPTURE(device_name);
    const device target(device_name);
    solver searches(target, wide);
    const solution answer = searches.solve(0);
    CHECK(answer.type() == number_type::float64);
    const auto distances = answer.distances_float64();
    REQUIRE(distances.size() == vertices);
    double sum = 4194304;
    for (vertex v = 1; v < vertices; ++v, sum += 0.1) REQUIRE(distances[v] == sum);
    CHECK(answer.distance(vertices - 1) == distances.back());
    CHECK(answer.check() == "");
    CHECK(answer.predecessors()[vertices - 1] == vertices - 2);
    CHECK_THROWS_WITH(answer.distances_float32(), Contains("are float64") && Contains("distances_float64()"));
    CHECK_THROWS_WITH(answer.distances_uint32(), Contains("are float64"));
    solver narrow(target, long_path<float>(vertices));
    CHECK(narrow.solve(0).distance(vertices - 1) == 4194304);
    CHECK_THROWS_WITH(narrow.solve(0).distances_float64(), Contains("are float32"));
    const solution last = searches.solve(vertices - 1);
    CHECK(std::isinf(last.distances_float64()[0]));
  }
}

TEST_CASE("the selector leaves out solvers with 4-byte distances, and requesting one is an error") {
  const digraph wide = digraph::open("road7", {.weight_type = number_type::float64});
  const device simulated("simt");
  solver searches(simulated, wide);
  const solution answer = searches.solve(0);
  CHECK_THAT(answer.choice().configuration, Contains("near_far") || Contains("bellman_ford"));
  CHECK_THROWS_AS(searches.solve(0, {.configurations = {"solver=mlmq"}}), unsuitable_error);
  CHECK_THROWS_WITH(searches.solve(0, {.configurations = {"solver=adds"}}), Contains("distances of 4 bytes"));
  const solution of_list = searches.solve(0, {.configurations = {"solver=mlmq", "solver=bellman_ford"}});
  CHECK_THAT(of_list.choice().configuration, Contains("bellman_ford"));
  // Levels are whole numbers, whatever the weights.
  solver levels(simulated, wide, problem::bfs);
  CHECK(levels.solve(0).type() == number_type::uint32);
}

TEST_CASE("many searches hand over distances of 8 bytes") {
  const digraph graph = digraph::open("rmat7", {.weight_type = number_type::float64});
  std::vector<vertex> sources(40);
  std::iota(sources.begin(), sources.end(), vertex{0});
  for (const std::string& device_name : devices()) {
    for (const char* const label :
         {"solver=group,threads=64,blocks=1,parts=2", "threads=64,blocks=2,near_items=128",
          "threads=64,blocks=2,near_items=128,ell_width=4",
          "threads=64,blocks=2,near_items=128,ell_width=8,order=place", "solver=cpu_dijkstra", ""}) {
      const bool on_processors = std::string(label) == "solver=cpu_dijkstra";
      if (*label != 0 && on_processors != (device_name != "simt")) continue;
      CAPTURE(device_name, label);
      // Without a label: the recommended configurations for the graph, some of which do not support 8 bytes.
      const std::vector<std::string> configurations(*label != 0 ? 1 : 0, label);
      const device target(device_name);
      solver searches(target, graph);
      std::size_t rows = 0;
      const batch_summary summary = searches.solve_many(sources, {.configurations = configurations, .check = true},
                                                        [&](const distance_rows& block) {
                                                          REQUIRE(block.type == number_type::float64);
                                                          REQUIRE(block.float64.size() == block.rows * block.columns);
                                                          CHECK(block.uint32.empty());
                                                          CHECK(block.float32.empty());
                                                          for (std::size_t i = 0; i < block.rows; ++i, ++rows) {
                                                            CHECK(block.at(i, sources[rows]) == 0);
                                                            if (rows % 16 != 0) continue;
                                                            solver reference(device("cpu:1"), graph);
                                                            const solution right = reference.solve(sources[rows]);
                                                            for (vertex v = 0; v < graph.vertex_count(); ++v)
                                                              REQUIRE(block.at(i, v) == right.distance(v));
                                                          }
                                                        });
      CHECK(rows == sources.size());
      const std::vector<vertex> targets = {3, 90};
      searches.solve_many(sources, {.targets = targets, .cutoff = 40.5, .check = true},
                          [&](const distance_rows& block) {
                            for (const double distance : block.float64)
                              CHECK((distance <= 40.5 || std::isinf(distance)));
                          });
    }
  }
}

TEST_CASE("a cutoff of -0.0 is 0") {
  for (const digraph& graph : {digraph::from_rows({0, 1, 1}, {1}, std::vector<double>{0.3}),
                               digraph::from_rows({0, 1, 1}, {1}, std::vector<float>{0.3F})}) {
    solver searches(device("cpu:1"), graph);
    const std::vector<vertex> sources = {0};
    const batch_options options{.cutoff = -0.0};
    searches.solve_many(sources, options, [](const distance_rows& block) { CHECK(std::isinf(block.at(0, 1))); });
  }
}

TEST_CASE("weights of 8 bytes have the rules of floats") {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(digraph::from_rows({0, 1, 1}, {1}, std::vector<double>{-1.0}), Contains("at least 0"));
  CHECK_THROWS_WITH(digraph::from_rows({0, 1, 1}, {1}, std::vector<double>{not_a_number}), Contains("finite"));
  CHECK_THROWS_WITH(digraph::from_rows({0, 2, 2}, {1, 1}, std::vector<double>{1.0}), Contains("1 weights for 2 edges"));
  const digraph zero = digraph::from_rows({0, 1, 1}, {1}, std::vector<double>{-0.0});
  CHECK(solver(device("cpu:1"), zero).solve(0).distance(1) == 0);
  const digraph huge = digraph::from_rows({0, 1, 2, 2}, {1, 2}, std::vector<double>{1.5e308, 1.5e308});
  CHECK_THROWS_WITH(solver(device("cpu:1"), huge).solve(0), Contains("too large for float64"));
}
