// SPDX-License-Identifier: Apache-2.0
// Distances of 8 bytes: right where distances of 4 bytes are rounded, equal for all solvers that support them, refused
// by the others.
#include <bit>
#include <catch2/catch.hpp>

#include "graph/adversarial.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using Catch::Contains;
using graph::weight_type;
using tuner::instrumentation;

void add(graph::edge_list& edges, graph::vertex_id source, graph::vertex_id target, double weight) {
  edges.sources.push_back(source);
  edges.targets.push_back(target);
  edges.wide_weight_bits.push_back(std::bit_cast<std::uint64_t>(weight));
}

/// Returns a graph with many ways to a vertex with a long row. The lengths of the ways have the same upper 32 bits and
/// come in falling order, so that elements of the row that look alike wait at the same time.
graph::csr_graph alike(graph::vertex_id ways, graph::vertex_id leaves) {
  graph::edge_list edges;
  edges.type = weight_type::float64;
  const graph::vertex_id hub = ways + 1;
  for (graph::vertex_id i = 1; i <= ways; ++i) {
    add(edges, 0, i, 1);
    add(edges, i, hub, 1 + (ways - i) * 1e-12);
  }
  for (graph::vertex_id leaf = 0; leaf < leaves; ++leaf) add(edges, hub, hub + 1 + leaf, 1e-9 * leaf);
  return graph::build_csr(hub + 1 + leaves, edges);
}

std::vector<std::string> kernels() {
  return {"solver=near_far,threads=64",
          "solver=near_far,threads=128,one_block=0,heavy_degree=8,delta_rule=fixed,delta_fixed=0.5",
          "solver=bellman_ford,threads=64",
          "solver=bellman_ford,threads=64,one_block=0,heavy_degree=4",
          "solver=near_pull,threads=64,near_limit=0.1",
          "solver=near_pull,threads=64,near_limit=0.5,pull_share=1048576,piece_edges=8"};
}

}  // namespace

TEST_CASE("a long path of tiny weights has exact distances of 8 bytes, where those of 4 come to a halt") {
  // As a float32, 2^22 + 0.1 is 2^22.
  const graph::csr_graph shape = graph::generate_path(2000);
  graph::edge_list edges;
  edges.type = weight_type::float64;
  add(edges, 0, 1, 4194304);
  for (graph::vertex_id v = 1; v + 1 < shape.vertex_count(); ++v) add(edges, v, v + 1, 0.1);
  const graph::csr_graph wide = graph::build_csr(shape.vertex_count(), edges);
  const graph::csr_graph narrow = graph::with_weight_type(wide, weight_type::float32);
  for (const char* const selector : {"simt", "cpu:2"}) {
    const auto device = selector == std::string("simt") ? open_simulator() : backends::open_device(selector);
    const std::string label = selector == std::string("simt") ? "solver=near_far,threads=64" : "solver=delta_stepping";
    CAPTURE(selector);
    search tried(*device, wide);
    tried.prepare(configuration_of(label));
    REQUIRE(tried.run(0).message == "");
    CHECK(disagreement(tried, wide, 0) == "");
    const auto distances = std::get<uninitialized_vector<graph::wide_distance_bits>>(tried.instance().all_distances());
    CHECK(graph::distance_value(distances.back()) == Approx(4194304 + 1998 * 0.1).epsilon(1e-12));
    search before(*device, narrow);
    before.prepare(configuration_of(label));
    REQUIRE(before.run(0).message == "");
    CHECK(graph::distance_value(weight_type::float32, before.instance().distances().back()) == 4194304);
  }
}

TEST_CASE("elements that look alike do not lose a distance, and a long row is cut once") {
  const auto device = open_simulator();
  for (const graph::vertex_id leaves : {3U, 1500U}) {
    const graph::csr_graph graph = alike(90, leaves);
    search tried(*device, graph);
    for (const std::string& label : kernels()) {
      tried.prepare(configuration_of(label), instrumentation::counters);
      for (std::uint64_t seed = 1; seed <= 5 * fuzz_factor(); ++seed) {
        CAPTURE(leaves, label, seed);
        const tuner::run_report report = tried.run(0, seed);
        REQUIRE(report.message == "");
        CHECK(disagreement(tried, graph, 0) == "");
        auto count = counters_of(report);
        if (label.find("near_pull") == std::string::npos) CHECK(count["pops"] == count["updates"] + 1);
      }
    }
  }
}

TEST_CASE("searches of one instance follow each other with distances of 8 bytes") {
  const auto device = open_simulator();
  const graph::csr_graph graph =
      graph::with_adversarial_weights(graph::generate_named("rmat7").graph, weight_type::float64);
  search tried(*device, graph);
  for (graph::vertex_id source = 0; source < 40; ++source) {
    const std::string label = kernels()[source % kernels().size()];
    CAPTURE(source, label);
    tried.prepare(configuration_of(label));
    REQUIRE(tried.run(source, source).message == "");
    REQUIRE(disagreement(tried, graph, source) == "");
    // Also compares with the proven answer.
    REQUIRE(tried.run(source, source + 1).message == "");
    REQUIRE(tried.instance().check() == "");
  }
}

TEST_CASE("a wrong distance of 8 bytes is found, however little it is wrong") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const graph::csr_graph graph = alike(5, 40);
  search tried(device, graph);
  tried.prepare(configuration_of("solver=near_far,threads=64"));
  REQUIRE(tried.run(0).message == "");
  device.damage_answer = true;
  CHECK_THAT(tried.instance().check(), Contains("has distance"));
}

TEST_CASE("solvers whose elements have distances of 4 bytes refuse those of 8, and search levels of the same graph") {
  const auto device = open_simulator();
  const graph::csr_graph graph = alike(5, 3);
  search tried(*device, graph);
  for (const char* const label : {"", "l2=heap", "solver=adds"}) {
    CAPTURE(label);
    CHECK_THROWS_WITH(tried.prepare(configuration_of(label)),
                      Contains("has distances of 4 bytes") && Contains("float64") && Contains("solver=near_far"));
  }
  CHECK_FALSE(tried.instance().features().has_value());
  search levels(*device, graph, {}, problems::search_kind::bfs);
  levels.prepare(configuration_of(""));
  REQUIRE(levels.run(0).message == "");
  CHECK(disagreement(levels, graph::with_unit_weights(graph), 0) == "");
}
