// SPDX-License-Identifier: Apache-2.0
// Searches of graphs whose leaves and chains are removed, on the simulator and on processors.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "backends/registry.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "sssp_test.hpp"
#include "tests/oracle/chain_graph.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using Catch::Contains;

const std::vector<std::string> kernel_labels = {"threads=64",
                                                "threads=64,l1=near_far,ell_width=4",
                                                "threads=64,l1=none,l2=heap",
                                                "solver=partitioned,threads=96,parts=3",
                                                "solver=partitioned,threads=96,parts=3,part_work=groups",
                                                "solver=partitioned,threads=96,parts=2,part_work=pulled_groups"};
const std::vector<std::string> processor_labels = {"solver=dijkstra", "solver=delta_stepping",
                                                   "solver=delta_stepping,cpu_delta=0.05,fusion=0,chunk=1"};

std::string reduced(const std::string& label, const std::string& extent) { return label + ",reduction=" + extent; }

/// Searches from some vertices with each configuration, reduced in all ways and not at all.
void check_searches(backends::backend& device, const graph::csr_graph& graph, const std::vector<std::string>& labels,
                    unsigned sources, std::uint64_t seed) {
  constexpr double time_limit_ms = 60'000;  // threads that wait for each other take long on a busy machine
  std::mt19937_64 random(seed);
  search tried(device, graph);
  for (const std::string& label : labels) {
    for (const std::string extent : {"core", "chains", "none", "leaves"}) {
      CAPTURE(label, extent);
      tried.prepare(configuration_of(reduced(label, extent)));
      for (unsigned i = 0; i < sources; ++i) {
        const auto source = static_cast<graph::vertex_id>(random() % graph.vertex_count());
        CAPTURE(source);
        REQUIRE(tried.run(source, seed + i, time_limit_ms).result == db::outcome::ok);
        REQUIRE(disagreement(tried, graph, source).empty());
      }
    }
  }
}

}  // namespace

TEST_CASE("processors find Dijkstra's distances by searches of the core") {
  const auto device = backends::open_device("cpu:2");
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    check_searches(*device, oracle::chains_of_all_kinds(seed), processor_labels, 6, seed);
  }
  for (const graph::csr_graph& graph :
       {graph::generate_road(12), graph::generate_web(11), graph::generate_path(3000), graph::generate_cycle(501)}) {
    check_searches(*device, graph, processor_labels, 6, 1);
  }
}

TEST_CASE("kernels find Dijkstra's distances by searches of the core") {
  const auto device = open_simulator("simt:4x16");
  for (std::uint64_t seed = 1; seed <= 12 * fuzz_factor(); ++seed) {
    if (!tests::in_share(seed)) continue;
    CAPTURE(seed);
    check_searches(*device, oracle::chains_of_all_kinds(seed), kernel_labels, 4, seed);
  }
  const std::vector<std::string> two_labels{kernel_labels[0], kernel_labels[4]};
  for (const graph::csr_graph& graph :
       {graph::generate_road(10), graph::generate_path(300), graph::generate_path(1300), graph::generate_web(9)}) {
    check_searches(*device, graph, two_labels, 4, 1);
  }
}

TEST_CASE("distances in hard graphs are right, also where sums saturate") {
  const auto device = backends::open_device("cpu:2");
  for (const hard_graph& hard : hard_graphs(graph::weight_type::uint32)) {
    CAPTURE(hard.name);
    search tried(*device, hard.graph);
    for (const std::string extent : {"leaves", "chains", "core"}) {
      tried.prepare(configuration_of(reduced("solver=dijkstra", extent)));
      for (const graph::vertex_id source : hard.sources) {
        CHECK(tried.run(source).result == db::outcome::ok);
        CHECK(disagreement(tried, hard.graph, source).empty());
      }
    }
  }
}

TEST_CASE("after a search of the core that took too long, the next one is right") {
  const auto device = open_simulator("simt:4x16");
  const graph::csr_graph graph = graph::generate_road(10);
  search tried(*device, graph);
  tried.prepare(configuration_of("threads=64,reduction=core"));
  CHECK(tried.run(1, 1, 1e-3).result == db::outcome::timeout);
  CHECK(tried.run(2).result == db::outcome::ok);
  CHECK(disagreement(tried, graph, 2).empty());
}

TEST_CASE("the distances of a search of the core can be kept on the device") {
  const auto device = backends::open_device("cpu:2");
  const graph::csr_graph graph = graph::generate_road(10);
  search tried(*device, graph);
  tried.prepare(configuration_of("solver=dijkstra,reduction=core"));
  CHECK(tried.run(1).result == db::outcome::ok);
  const std::vector<graph::distance_bits> first = tried.instance().distances();
  const backends::device_memory kept_distances = tried.instance().take_distances({});
  CHECK(tried.run(2).result == db::outcome::ok);
  CHECK(disagreement(tried, graph, 2).empty());
  CHECK(std::equal(first.begin(), first.end(), kept_distances.as<graph::distance_bits>()));
}

TEST_CASE("results of searches of cores are those of several kernels") {
  const problems::search searched(problems::search_kind::sssp);
  const std::string whole = searched.source_hash(configuration_of("threads=64"));
  const std::string of_core = searched.source_hash(configuration_of("threads=64,reduction=chains"));
  CHECK(of_core != whole);
  CHECK(of_core == searched.source_hash(configuration_of("threads=128,reduction=leaves")));
}

TEST_CASE("what cannot be reduced is refused with the reason") {
  const auto device = backends::open_device("cpu:2");
  const auto chosen = configuration_of("solver=dijkstra,reduction=leaves");
  for (const auto type : {graph::weight_type::float32, graph::weight_type::float64}) {
    search tried(*device, graph::with_weight_type(graph::generate_road(6), type));
    CHECK_THROWS_WITH(tried.prepare(chosen), Contains("choose reduction=none, or whole weights"));
    tried.prepare(configuration_of("solver=dijkstra"));
    CHECK(tried.run(3).result == db::outcome::ok);
  }
  // Four vertices, each joined with every other, and a chain from the first to the second.
  graph::edge_list edges;
  for (graph::vertex_id v = 0; v < 4; ++v) {
    for (graph::vertex_id u = 0; u < 4; ++u) {
      if (u != v) edges.add(v, u, 1);
    }
  }
  edges.add(0, 4, 3'000'000'000);
  edges.add(4, 1, 2'000'000'000);
  const graph::csr_graph long_chain = graph::build_csr(5, edges);
  search with_long_chain(*device, long_chain);
  CHECK_THROWS_WITH(with_long_chain.prepare(configuration_of("solver=dijkstra,reduction=chains")),
                    Contains("the length of a chain is too long for a weight"));
  with_long_chain.prepare(chosen);
  CHECK(with_long_chain.run(0).result == db::outcome::ok);
  CHECK(disagreement(with_long_chain, long_chain, 0).empty());
  search levels(*device, graph::generate_road(6), {}, problems::search_kind::bfs);
  CHECK_THROWS_WITH(levels.prepare(chosen), Contains("use the problem sssp with weights of 1"));
  const problems::search breadth_first(problems::search_kind::bfs);
  CHECK_THAT(breadth_first.unfit_reason(chosen, device->info()), Contains("use the problem sssp"));
  CHECK_THROWS_WITH(configuration_of("solver=near_far,reduction=chains"), Contains("'reduction' does not apply here"));
}
