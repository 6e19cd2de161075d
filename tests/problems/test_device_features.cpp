// SPDX-License-Identifier: Apache-2.0
// The kernel that computes features on a device agrees with the processors.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "graph/feature_pass.hpp"
#include "graph/generate.hpp"
#include "problems/shortest_paths/search.hpp"
#include "sssp_test.hpp"

using namespace mlmq;
using namespace mlmq::problems;
using namespace mlmq::problems::tests;

namespace {

graph::feature_pass features_on_device(backends::backend& device, const graph::csr_graph& graph,
                                       search_kind kind = search_kind::sssp) {
  const auto instance = problems::search(kind).load_graph(device, graph, "graph");
  const auto features = instance->features();
  REQUIRE(features.has_value());
  CHECK(features->milliseconds > 0);
  return features->pass;
}

void check_same(const graph::feature_pass& actual, const graph::feature_pass& expected) {
  CHECK(actual.widest == expected.widest);
  CHECK(actual.degree_histogram == expected.degree_histogram);
  CHECK(actual.weight_histogram == expected.weight_histogram);
  if (expected.weights == graph::weight_type::uint32) {
    CHECK(graph::pass_features(actual) == graph::pass_features(expected));
    return;
  }
  const graph::feature_values a = graph::pass_features(actual);
  const graph::feature_values b = graph::pass_features(expected);
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(graph::feature_definitions()[i].name);
    CHECK(a[i] == Approx(b[i]).epsilon(1e-9).margin(1e-9));
  }
}

}  // namespace

TEST_CASE("features found on the simulator are those of the processors") {
  const auto device = open_simulator();
  for (const std::string name : {"road9", "rmat8", "power8:weights=pareto", "star300", "path1", "path2", "complete20",
                                 "del7:weights=unit", "grid33", "lattice11:weights=skewed"}) {
    for (const bool floats : {false, true}) {
      INFO(name << (floats ? " with floats" : ""));
      const graph::csr_graph csr = graph::generate_named(name).graph;
      const graph::csr_graph graph = floats ? graph::with_weight_type(csr, graph::weight_type::float32) : csr;
      check_same(features_on_device(*device, graph), graph::run_feature_pass(graph));
    }
  }
}

TEST_CASE("features of extreme weights on the simulator are those of the processors") {
  const auto device = open_simulator();
  const float huge = std::numeric_limits<float>::max();
  const std::vector<graph::csr_graph> odd = {
      graph::csr_graph({0, 0, 0}, {}, std::vector<std::uint32_t>{}),
      graph::csr_graph({0, 3}, {0, 0, 0}, std::vector<std::uint32_t>{graph::largest_weight, graph::largest_weight, 0}),
      graph::csr_graph({0, 2, 3}, {1, 1, 0}, std::vector<float>{huge, 0, 1e-30F}),
      graph::csr_graph({0, 0, 2, 4}, {1, 1, 0, 0}, std::vector<float>{1e7F, 1e7F + 1, 1e7F, 1e7F + 1}),
  };
  for (const graph::csr_graph& graph : odd)
    check_same(features_on_device(*device, graph), graph::run_feature_pass(graph));
}

TEST_CASE("several blocks and any schedule find the same") {
  const graph::csr_graph graph = graph::generate_named("rmat10:edge_factor=6").graph;
  const graph::feature_pass expected = graph::run_feature_pass(graph);
  const auto device = open_simulator("simt:2x32");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    device->set_seed(seed);
    check_same(features_on_device(*device, graph), expected);
    check_same(features_on_device(*device, graph::with_weight_type(graph, graph::weight_type::float32)),
               graph::run_feature_pass(graph::with_weight_type(graph, graph::weight_type::float32)));
  }
}

TEST_CASE("of many edges the same part is in the histogram") {
  const graph::csr_graph graph = graph::generate_named("rmat12:edge_factor=128").graph;
  REQUIRE(graph::histogram_stride(graph.edge_count()) == 2);
  check_same(features_on_device(*open_simulator(), graph), graph::run_feature_pass(graph));
}

TEST_CASE("a lane that meets more vertices of a degree than a byte counts loses none") {
  const auto device = open_simulator("simt:1x1");
  for (const std::string name : {"cycle300000", "star2000"}) {
    INFO(name);
    const graph::csr_graph graph = graph::generate_named(name).graph;
    check_same(features_on_device(*device, graph), graph::run_feature_pass(graph));
  }
}

TEST_CASE("breadth-first search finds the features of unit weights") {
  const auto device = open_simulator();
  for (const char* const name : {"road8", "power8:weights=pareto", "path1", "complete20"}) {
    INFO(name);
    const graph::csr_graph graph = graph::generate_named(name).graph;
    check_same(features_on_device(*device, graph, search_kind::bfs),
               graph::run_feature_pass(graph::with_unit_weights(graph)));
    check_same(
        features_on_device(*device, graph::with_weight_type(graph, graph::weight_type::float32), search_kind::bfs),
        graph::run_feature_pass(graph::with_unit_weights(graph)));
  }
  // The histogram of a graph with many edges samples a part of them.
  const graph::csr_graph many = graph::generate_named("rmat12:edge_factor=128").graph;
  check_same(features_on_device(*device, many, search_kind::bfs),
             graph::run_feature_pass(graph::with_unit_weights(many)));
}

TEST_CASE("processors leave features to the owner of the graph") {
  const graph::csr_graph graph = graph::generate_named("road6").graph;
  const auto processors = backends::open_device("cpu");
  CHECK_FALSE(problems::search(search_kind::sssp).load_graph(*processors, graph, "graph")->features().has_value());
}
