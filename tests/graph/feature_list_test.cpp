// SPDX-License-Identifier: Apache-2.0
// All features, compared with their definitions, implemented naively.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/feature_list.hpp"
#include "graph/feature_pass.hpp"
#include "graph/feature_samples.hpp"
#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

namespace {

double value_of(const feature_values& values, std::string_view name) { return values.at(feature_index(name)); }

double feature(const std::string& graph, std::string_view name) {
  return value_of(all_features(generate_named(graph).graph), name);
}

std::vector<std::string> various() {
  return {"road10",
          "del9",
          "rmat10",
          "power10:weights=pareto",
          "lattice10:dims=3:weights=skewed",
          "small10:weights=unit",
          "circuit10",
          "star500",
          "path1",
          "path2",
          "complete30",
          "grid20"};
}

std::vector<double> degrees_of(const csr_graph& graph) {
  std::vector<double> degrees;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    degrees.push_back(static_cast<double>(graph.offsets()[v + 1u] - graph.offsets()[v]));
  }
  return degrees;
}

/// Returns average and deviation in long double, by definition.
std::pair<double, double> moments_of(const std::vector<double>& values) {
  if (values.empty()) return {0, 0};
  const auto n = static_cast<long double>(values.size());
  const long double average = std::accumulate(values.begin(), values.end(), 0.0L) / n;
  long double squares = 0;
  for (const double value : values) squares += (value - average) * (value - average);
  return {static_cast<double>(average), static_cast<double>(std::sqrt(squares / n))};
}

double quantile(std::vector<double> values, std::size_t percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * percent / 100];
}

/// Checks an estimate that may be too small by up to an eighth.
void check_within_an_eighth(double estimate, double exact) {
  CHECK(estimate <= exact);
  CHECK(estimate >= exact * 8 / 9);
  if (exact < 16 && exact == std::floor(exact)) CHECK(estimate == exact);
}

/// Returns the number of hops from `start` to every vertex; nothing for an unreachable vertex.
std::vector<std::optional<std::size_t>> hops_from(const csr_graph& graph, vertex_id start) {
  std::vector<std::optional<std::size_t>> hops(graph.vertex_count());
  hops[start] = 0;
  for (std::deque<vertex_id> open{start}; !open.empty(); open.pop_front()) {
    for (edge_offset i = graph.offsets()[open.front()]; i < graph.offsets()[open.front() + 1u]; ++i) {
      const vertex_id v = graph.targets()[i];
      if (hops[v]) continue;
      hops[v] = *hops[open.front()] + 1;
      open.push_back(v);
    }
  }
  return hops;
}

std::size_t eccentricity(const csr_graph& graph, vertex_id start) {
  std::size_t most = 0;
  for (const auto& hops : hops_from(graph, start)) most = std::max(most, hops.value_or(0));
  return most;
}

void check_equal(const feature_pass& a, const feature_pass& b) {
  CHECK(pass_features(a) == pass_features(b));
  CHECK(a.widest == b.widest);
  CHECK(a.degree_histogram == b.degree_histogram);
  CHECK(a.weight_histogram == b.weight_histogram);
}

}  // namespace

TEST_CASE("features have names of their own, the eight of Table 2 first") {
  const auto definitions = feature_definitions();
  std::set<std::string_view> names;
  for (const feature_definition& definition : definitions) {
    CHECK(names.insert(definition.name).second);
    CHECK_FALSE(definition.meaning.empty());
    CHECK(definitions[feature_index(definition.name)].name == definition.name);
  }
  for (std::size_t i = 0; i < feature_count; ++i) CHECK(definitions[i].name == feature_names().at(i));
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    CHECK((definitions[i].cost == feature_cost::pass) == (i < pass_feature_count()));
  }
  CHECK(all_features(generate_named("road6").graph).size() == definitions.size());
  CHECK(pass_features(run_feature_pass(generate_named("road6").graph)).size() == pass_feature_count());
  CHECK_THAT(error_of([] { return feature_index("degre_p50"); }), Contains("did you mean 'degree_p50'?"));
}

TEST_CASE("the features of a pass are those of their definitions") {
  for (const std::string& name : various()) {
    for (const bool floats : {false, true}) {
      INFO(name << (floats ? " with floats" : ""));
      const csr_graph original = generate_named(name).graph;
      const csr_graph graph = floats ? with_weight_type(original, weight_type::float32) : original;
      const feature_values values = all_features(graph);
      const std::vector<double> degrees = degrees_of(graph);
      const std::vector<double> weights = weights_of(graph);
      const auto [degree, degree_deviation] = moments_of(degrees);
      const auto [weight, weight_deviation] = moments_of(weights);
      const double most = degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
      CHECK(value_of(values, "avg_nnz") == Approx(degree));
      CHECK(value_of(values, "dev_nnz") == Approx(degree_deviation).margin(1e-9));
      CHECK(value_of(values, "max_nnz") == most);
      CHECK(value_of(values, "avg_weight") == Approx(weight));
      CHECK(value_of(values, "dev_weight") == Approx(weight_deviation).margin(1e-9));
      CHECK(value_of(values, "max_weight") ==
            (weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end())));
      for (const std::size_t percent : {10u, 50u, 90u, 99u}) {
        INFO(percent << " %");
        check_within_an_eighth(value_of(values, "degree_p" + std::to_string(percent)), quantile(degrees, percent));
        check_within_an_eighth(value_of(values, "weight_p" + std::to_string(percent)), quantile(weights, percent));
      }
      const auto empty = std::count(degrees.begin(), degrees.end(), 0.0);
      CHECK(value_of(values, "dead_ends") == Approx(static_cast<double>(empty) / static_cast<double>(degrees.size())));
      if (weights.empty()) continue;
      CHECK(value_of(values, "hub_ratio") == Approx(most / degree));
      CHECK(value_of(values, "degree_variation") == Approx(degree_deviation / degree).margin(1e-9));
      CHECK(value_of(values, "weight_variation") == Approx(weight_deviation / weight).margin(1e-9));
      CHECK(value_of(values, "weight_to_degree") == Approx(weight / degree));
      const double median = value_of(values, "weight_p50");
      CHECK(value_of(values, "weight_skew") == Approx(median > 0 ? weight / median : 0));
    }
  }
  CHECK(feature("power12:weights=pareto", "weight_skew") > 4 * feature("power12", "weight_skew"));
}

TEST_CASE("nothing to measure gives zeros, and everything is finite") {
  for (const double value : all_features(csr_graph())) CHECK(value == 0);
  const feature_values lone = all_features(csr_graph({0, 0, 0}, {}, std::vector<float>{}));
  CHECK(lone[0] == 2);
  CHECK(value_of(lone, "dead_ends") == 1);
  CHECK(std::accumulate(lone.begin(), lone.end(), 0.0) == 3);
  const float huge = 3e38F;
  for (const csr_graph& odd : {csr_graph({0, 3}, {0, 0, 0}, std::vector<float>{huge, huge, 0}),
                               csr_graph({0, 1, 1}, {1}, std::vector<std::uint32_t>{0}),
                               csr_graph({0, 2}, {0, 0}, std::vector<std::uint32_t>{largest_weight, largest_weight})}) {
    for (const double value : all_features(odd)) CHECK(std::isfinite(value));
  }
}

TEST_CASE("several threads find the features of one thread") {
  for (const std::string name : {"rmat17", "road18", "star300000", "lattice19:weights=pareto"}) {
    for (const bool floats : {false, true}) {
      INFO(name << floats);
      const csr_graph original = generate_named(name).graph;
      const csr_graph graph = floats ? with_weight_type(original, weight_type::float32) : original;
      const feature_pass by_one_thread = run_feature_pass(graph, 1);
      for (const unsigned threads : {2u, 3u, 0u}) check_equal(run_feature_pass(graph, threads), by_one_thread);
      const auto degrees = degrees_of(graph);
      CHECK(widest_vertex(graph) == by_one_thread.widest);
      CHECK(by_one_thread.widest ==
            static_cast<vertex_id>(std::max_element(degrees.begin(), degrees.end()) - degrees.begin()));
    }
  }
}

TEST_CASE("of many edges a fixed part is in the histogram of weights") {
  CHECK(histogram_stride(0) == 1);
  CHECK(histogram_stride((1 << 19) - 1) == 1);
  CHECK(histogram_stride(1 << 19) == 2);
  CHECK(histogram_stride(std::uint64_t{1} << 27) == 512);
  const csr_graph graph = generate_lattice(17, {.diagonals = true});  // more than 2^19 edges
  REQUIRE(histogram_stride(graph.edge_count()) == 2);
  std::vector<std::uint64_t> expected(weight_bin_count);
  for (edge_offset i = 0; i < graph.edge_count(); ++i) {
    if (i / 32 % 2 == 0) ++expected[weight_bin(static_cast<float>(graph.weight_bits()[i]))];
  }
  CHECK(run_feature_pass(graph, 1).weight_histogram == expected);
  CHECK(run_feature_pass(graph, 4).weight_histogram == expected);
  check_within_an_eighth(value_of(all_features(graph), "weight_p90"), 90);
}

TEST_CASE("hops are right where a search of a few thousand edges sees all") {
  // Trees and rings: twice around gives the diameter. Elsewhere: at least the distance from the start.
  CHECK(feature("path3000", "hops") == 2999);
  CHECK(feature("star3000", "hops") == 2);
  CHECK(feature("complete50", "hops") == 1);
  CHECK(feature("cycle2000", "hops") == 1000);
  for (const std::string name : {"road11", "del9", "lattice9:dims=3", "small9:neighbours=4", "rmat9"}) {
    INFO(name);
    const csr_graph graph = generate_named(name).graph;
    const feature_pass pass = run_feature_pass(graph);
    std::size_t diameter = 0;
    for (vertex_id v = 0; v < graph.vertex_count(); ++v) diameter = std::max(diameter, eccentricity(graph, v));
    const double hops = value_of(all_features(graph), "hops");
    CHECK(hops >= static_cast<double>(eccentricity(graph, pass.widest)));
    CHECK(hops <= static_cast<double>(diameter));
    const auto reached = hops_from(graph, pass.widest);
    const auto count =
        std::count_if(reached.begin(), reached.end(), [](const auto& distance) { return distance.has_value(); });
    CHECK(value_of(all_features(graph), "frontier") == Approx(static_cast<double>(count) / hops));
  }
}

TEST_CASE("hops of larger graphs are of the right size") {
  for (const std::string name : {"road18", "del16", "lattice18", "lattice18:dims=3", "small16:rewired=0.01",
                                 "circuit16", "rmat16", "power16", "rmat16:a=0.25:b=0.25:c=0.25", "grid400"}) {
    INFO(name);
    const csr_graph graph = generate_named(name).graph;
    const auto exact = static_cast<double>(eccentricity(graph, run_feature_pass(graph).widest));
    const double hops = value_of(all_features(graph), "hops");
    INFO("exact " << exact << ", found " << hops);
    CHECK(hops >= exact / 2);
    CHECK(hops <= exact * 2);
  }
  // The values differ widely on the scale that matters.
  CHECK(feature("road18", "hops") > 20 * feature("rmat16", "hops"));
  CHECK(feature("rmat16", "frontier") > 10 * feature("road18", "frontier"));
}

TEST_CASE("the reachable share is that of the vertices with a way to many others") {
  CHECK(feature("road14", "reach_share") == 1);
  CHECK(feature("complete40", "reach_share") == 1);
  // 3/4 of the vertices are isolated.
  edge_list edges;
  for (vertex_id v = 0; v + 1 < 1000; ++v) edges.add(v, v + 1, 1);
  const csr_graph graph = build_csr(4000, edges, {.symmetric = true});
  CHECK(value_of(all_features(graph), "reach_share") == Approx(0.25).margin(0.15));
  // Components of 8 vertices.
  edges = {};
  for (vertex_id v = 0; v + 1 < 4000; ++v) {
    if (v % 8 != 7) edges.add(v, v + 1, 1);
  }
  CHECK(value_of(all_features(build_csr(4000, edges, {.symmetric = true})), "reach_share") == 0);
}

TEST_CASE("clustering and spans are about those of all pairs and edges") {
  const auto exact = [](const csr_graph& graph) {
    double joined = 0;
    std::size_t vertices = 0;
    for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
      const auto row = graph.targets().subspan(graph.offsets()[u], graph.offsets()[u + 1u] - graph.offsets()[u]);
      if (row.size() < 2) continue;
      double of_vertex = 0;
      for (const vertex_id a : row) {
        const auto further = graph.targets().subspan(graph.offsets()[a], graph.offsets()[a + 1u] - graph.offsets()[a]);
        for (const vertex_id b : row)
          of_vertex += std::find(further.begin(), further.end(), b) != further.end() ? 1 : 0;
      }
      joined += of_vertex / static_cast<double>(row.size() * (row.size() - 1));
      ++vertices;
    }
    return joined / static_cast<double>(vertices);
  };
  for (const std::string name : {"del12", "lattice12:diagonals=1", "small12:rewired=0.1", "grid60", "complete60"}) {
    INFO(name);
    const csr_graph graph = generate_named(name).graph;
    CHECK(value_of(all_features(graph), "clustering") == Approx(exact(graph)).margin(0.08));
  }
  CHECK(feature("complete600", "clustering") == Approx(1).margin(0.25));  // rows exceed the searched part
  CHECK(feature("lattice16", "edge_span") < 0.01);
  CHECK(feature("lattice16:shuffle=1", "edge_span") == Approx(1.0 / 3).margin(0.05));
}

TEST_CASE("features are the same everywhere") {
  // Compared as text, to the last bit: databases of several machines are merged, and must not contradict each other.
  std::uint64_t hash = 0;
  for (const std::string& name : various()) {
    for (const double value : all_features(generate_named(name).graph)) {
      hash = mlmq::mix64({hash, std::bit_cast<std::uint64_t>(value)});
    }
  }
  CHECK(hash == 0xe4caacd8292b9256u);
}

TEST_CASE("selected features equal those of the whole list, in the requested order") {
  const csr_graph graph = generate_named("rmat16").graph;
  const feature_values values = all_features(graph);
  const std::array<std::string_view, 3> names{"hops", "m", "weight_p50"};
  const feature_values some = some_features(graph, names);
  REQUIRE(some.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(some[i] == values[feature_index(names.at(i))]);
  CHECK(some_features(graph, {}).empty());
  CHECK(some_features(graph, std::array<std::string_view, 1>{"dead_ends"})[0] == values[feature_index("dead_ends")]);
  const std::array<std::string_view, 1> unknown{"hop"};
  CHECK_THROWS_AS(some_features(graph, unknown), mlmq::input_error);
}

TEST_CASE("features of weights are known where all weights are 1") {
  std::vector<csr_graph> graphs;
  for (const std::string& name : various()) graphs.push_back(generate_named(name).graph);
  graphs.push_back(csr_graph({0, 0, 0}, std::vector<vertex_id>{}, std::vector<std::uint32_t>{}));
  const auto definitions = feature_definitions();
  for (const csr_graph& graph : graphs) {
    const feature_values with_weights = all_features(graph);
    const feature_values with_ones = all_features(with_unit_weights(graph));
    const double degree = value_of(with_weights, "avg_nnz");
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      CAPTURE(definitions[i].name);
      const std::optional<double> unit_value = unit_weight_value(definitions[i].name, degree);
      CHECK(unit_value.value_or(with_weights[i]) == with_ones[i]);
      CHECK(unit_value.has_value() == (definitions[i].name.find("weight") != std::string_view::npos));
    }
  }
}
