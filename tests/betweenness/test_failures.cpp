// SPDX-License-Identifier: Apache-2.0
// Invalid queries, graphs whose paths cannot be counted, and failing runs.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "graph/generate.hpp"
#include "problems/betweenness/queries.hpp"
#include "problems/multi_source/queries.hpp"
#include "tests/betweenness/betweenness_test.hpp"

using namespace mlmq;
using namespace mlmq::betweenness;
using Catch::Contains;

namespace {

graph::csr_graph with_weights(std::vector<graph::edge_offset> offsets, std::vector<graph::vertex_id> targets,
                              std::vector<std::uint32_t> weights) {
  return {std::move(offsets), std::move(targets), std::move(weights)};
}

/// Returns squares that touch at corners: each square doubles the number of paths.
graph::csr_graph chain_of_squares(graph::vertex_id count) {
  std::vector<graph::edge_offset> offsets = {0};
  std::vector<graph::vertex_id> targets;
  for (graph::vertex_id i = 0; i < count; ++i) {
    const graph::vertex_id corner = 3 * i;
    targets.insert(targets.end(), {corner + 1, corner + 2, corner + 3, corner + 3});
    offsets.insert(offsets.end(), {offsets.back() + 2, offsets.back() + 3, offsets.back() + 4});
  }
  offsets.push_back(offsets.back());
  return with_weights(offsets, targets, std::vector<std::uint32_t>(targets.size(), 1));
}

}  // namespace

TEST_CASE("paths that cannot be counted are an error that names a source and the reason") {
  const graph::csr_graph cycle_far = with_weights({0, 1, 3, 4}, {1, 2, 0, 1}, {5, 0, 5, 0});
  const graph::csr_graph cycle_here = with_weights({0, 1, 2}, {1, 0}, {0, 0});
  const graph::csr_graph too_far = with_weights({0, 1, 2, 2}, {1, 2}, {0xFFFFFFF0, 0xFFFFFFF0});
  const graph::csr_graph absorbed(std::vector<graph::edge_offset>{0, 1, 2, 3}, std::vector<graph::vertex_id>{1, 2, 1},
                                  std::vector<float>{1e30F, 1.0F, 1.0F});
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    const auto run = [&, on = device, with = label](const graph::csr_graph& graph) {
      betweenness_fixture tested(on, graph);
      tested.prepare(with);
      const std::vector<graph::vertex_id> source = {0};
      return tested.add_up({.sources = source, .units = units_for(graph.vertex_count(), 1)});
    };
    CHECK_THROWS_WITH(run(cycle_far), Contains("the graph: shortest paths from vertex 0") && Contains("of weight 0)") &&
                                          Contains("cycle"));
    CHECK_THROWS_WITH(run(cycle_here), Contains("of weight 0)") && Contains("cycle"));
    CHECK_THROWS_WITH(run(absorbed), Contains("float32") && Contains("cycle"));
    CHECK_THROWS_WITH(run(too_far), Contains("from vertex 0") && Contains("32 bits"));
    CHECK_THROWS_WITH(run(chain_of_squares(970)), Contains("more than 1e+290 shortest paths"));
    CHECK(run(chain_of_squares(960)).result == db::outcome::ok);
  }
}

TEST_CASE("distances of 8 bytes are not counted with") {
  betweenness_fixture tested("simt", graph::with_weight_type(graph::generate_road(6), graph::weight_type::float64));
  CHECK_THROWS_WITH(tested.prepare(device_and_label().front().second), Contains("distances of 4 bytes"));
}

TEST_CASE("an instance remains usable after paths that could not be counted") {
  // Vertex 2 leads to a cycle, vertex 4 does not.
  const graph::csr_graph graph = with_weights({0, 1, 2, 3, 3, 4}, {1, 0, 0, 3}, {0, 0, 1, 1});
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    betweenness_fixture tested(device, graph);
    tested.prepare(label);
    const std::vector<graph::vertex_id> bad = {2};
    const std::vector<graph::vertex_id> good = {4, 3};
    const score_units units = units_for(5, 2);
    CHECK_THROWS_AS(tested.add_up({.sources = bad, .units = units}), input_error);
    REQUIRE(tested.add_up({.sources = good, .units = units, .endpoints = true}).result == db::outcome::ok);
    const auto scores = tested.instance().scores();
    CHECK(value_of(scores[4], units) == 1);
    CHECK(value_of(scores[3], units) == 1);
    CHECK(value_of(scores[0], units) == 0);
  }
}

TEST_CASE("edges of weight 0 without a cycle are edges like others") {
  // There are two paths from 0 to 3, one over an edge of weight 0 to 1.
  const graph::csr_graph graph = with_weights({0, 2, 3, 4, 4}, {1, 2, 3, 3}, {0, 2, 5, 3});
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    betweenness_fixture tested(device, graph);
    tested.prepare(label);
    REQUIRE(tested.run_and_check("sources=all:seed=1").empty());
    const score_units units = units_for(4, 4);
    CHECK(value_of(tested.instance().scores()[1], units) == 0.5);
    CHECK(value_of(tested.instance().scores()[2], units) == 0.5);
  }
}

TEST_CASE("invalid queries are refused with a one-line error") {
  const auto queries = [](const char* name, const char* value) {
    return multi_source::queries_of({{.settings = {{.name = name, .values = {value}, .place = {}}}, .place = {}}},
                                    declared_settings());
  };
  CHECK_THROWS_WITH(queries("sources", "0"), Contains("sources") && !Contains("\n"));
  CHECK_THROWS_WITH(queries("targets", "3"), Contains("unknown key 'targets'") && Contains("sources, seed"));
  CHECK_THROWS_WITH(queries("cutoff", "3"), Contains("unknown key 'cutoff'"));
  CHECK_THROWS_WITH(queries("source", "5"), Contains("did you mean 'sources'"));
  CHECK(multi_source::queries_of({}, declared_settings()).at(0).text() == "seed=1:sources=1024");
  CHECK_THROWS_WITH(sources_of(graph::generate_road(5), "r", tuner::query::parse("seed=1:sources=4:targets=2")),
                    Contains("no targets"));
}

TEST_CASE("solvers and configurations run where they belong") {
  const graph::csr_graph graph = graph::generate_road(6);
  betweenness_fixture on_grid("simt", graph);
  CHECK_THROWS_WITH(on_grid.prepare("solver=cpu_brandes"), Contains("does not run on"));
  CHECK_THROWS_WITH(on_grid.prepare("threads=48"), Contains("whole warps"));
  CHECK_THROWS_WITH(on_grid.prepare("threads=32", tuner::instrumentation::timeline), Contains("timeline"));
  betweenness_fixture on_processors("cpu:1", graph);
  CHECK_THROWS_WITH(on_processors.prepare("solver=block"), Contains("does not run on"));
}

TEST_CASE("a run that takes too long is a timeout, and the next one is right") {
  const graph::csr_graph graph = graph::generate_road(9);
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    betweenness_fixture tested(device, graph);
    tested.prepare(label);
    CHECK(tested.run("sources=64:seed=1", 1, 0.001).result == db::outcome::timeout);
    CHECK_FALSE(tested.instance().check().empty());
    CHECK(tested.run_and_check("sources=2:seed=1").empty());
  }
}

TEST_CASE("a device without room for the distances of one search says so") {
  const graph::csr_graph graph = graph::generate_road(7);
  betweenness_fixture tested("simt", graph);
  tested.prepare("threads=32,blocks=1");
  const std::vector<graph::vertex_id> sources = {0};
  CHECK_THROWS_AS(tested.add_up({.sources = sources, .units = units_for(128, 1), .memory_bytes = 100}),
                  backends::out_of_device_memory);
}

TEST_CASE("a graph without edges has no score above 0") {
  const graph::csr_graph graph = with_weights({0, 0, 0}, {}, {});
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    betweenness_fixture tested(device, graph);
    tested.prepare(label);
    CHECK(tested.run_and_check("sources=all:seed=1").empty());
  }
}
