// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels that are pushed or pulled: right levels on graphs that are hard for it, in either
// direction and in both in turn; failures are reported; no element is lost; and runs are reproducible.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>

#include "graph/builder.hpp"
#include "problems/searches/solver_table.hpp"
#include "problems/shortest_paths/solvers/reverse_rows.hpp"
#include "random_hub_graph.hpp"
#include "simt/types.cuh"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using problems::search_kind;
using tuner::instrumentation;

/// Levels are only pushed, pulled whenever possible, or both; by one block, or by all.
const std::vector<std::string> configuration_labels = {
    "solver=push_pull,threads=64,pull_share=0,one_block_graph=0",
    "solver=push_pull,threads=64,pull_share=0,one_block=0,one_block_graph=0,read_edges=0,piece_edges=8,heavy_degree=16",
    "solver=push_pull,threads=64,one_block=0,one_block_graph=0,pull_share=1048576,pull_edges=0,gather=0",
    "solver=push_pull,threads=128,one_block=0,one_block_graph=0,pull_share=1048576,pull_edges=0,piece_edges=8,long_row="
    "16",
    "solver=push_pull,threads=128,one_block=8,one_block_graph=0,one_block_edges=40,pull_share=15,pull_edges=0,read_"
    "edges=20",
    "solver=push_pull,threads=64"};

void require_levels(search& tried, const graph::csr_graph& graph, graph::vertex_id source, bool only_pushes = false) {
  CAPTURE(source);
  const tuner::run_report report = tried.run(source);
  REQUIRE(report.message == "");
  const std::vector<graph::distance_bits> expected = levels_of(graph, source);
  REQUIRE(tried.instance().distances() == expected);
  CHECK(tried.instance().check() == "");
  auto count = counters_of(report);
  // Each vertex is found once. Each of its pieces is written once, and read if its level is pushed.
  const auto reached = static_cast<std::size_t>(
      std::ranges::count_if(expected, [](graph::distance_bits level) { return level != graph::unreached; }));
  CHECK(count["updates"] == reached);
  CHECK(count["l2_reads"] <= count["l2_writes"]);
  if (only_pushes) CHECK(count["l2_reads"] == count["l2_writes"]);
}

}  // namespace

TEST_CASE("levels pushed and pulled are numbers of edges") {
  const auto device = open_simulator();
  for (const hard_graph& hard : hard_graphs(graph::weight_type::uint32)) {
    search tried(*device, hard.graph, {}, search_kind::bfs);
    for (const std::string& label : configuration_labels) {
      CAPTURE(hard.name, label);
      tried.prepare(configuration_of(label), instrumentation::counters);
      require_levels(tried, hard.graph, hard.sources.back(), label.find("pull_share=0") != std::string::npos);
    }
  }
}

TEST_CASE("random tiny graphs have the same levels by every way") {
  const auto device = open_simulator();
  std::mt19937 draw(20261123);
  for (std::uint64_t round = 0; round < 60 * fuzz_factor(); ++round) {
    const graph::csr_graph graph = random_hub_graph(draw, 1, 9);
    search tried(*device, graph, {}, search_kind::bfs);
    for (const std::string& label : configuration_labels) {
      CAPTURE(round, label);
      tried.prepare(configuration_of(label), instrumentation::counters);
      for (int i = 0; i < 2; ++i) {
        require_levels(tried, graph, std::uniform_int_distribution<graph::vertex_id>(0, graph.vertex_count() - 1)(draw),
                       label.find("pull_share=0") != std::string::npos);
      }
    }
  }
}

TEST_CASE("a vertex that has many neighbours is found by one of the last, and one that has none is not") {
  // Vertex 1 has 3,000 edges from unreachable vertices, and one from a vertex of the second level.
  graph::edge_list edges;
  constexpr graph::vertex_id first = 100;
  constexpr graph::vertex_id many = 3000;
  for (graph::vertex_id v = 2; v < first; ++v) edges.add(0, v, 1);
  for (graph::vertex_id v = first; v < first + many; ++v) {
    edges.add(v, 1, 1);
    edges.add(v, first + many + 1, 1);
  }
  edges.add(0, first + many, 1);
  edges.add(first + many, 1, 1);
  const graph::csr_graph graph = graph::build_csr(first + many + 2, edges);
  const auto device = open_simulator();
  search tried(*device, graph, {}, search_kind::bfs);
  tried.prepare(
      configuration_of("solver=push_pull,threads=64,one_block=0,one_block_graph=0,pull_share=1048576,pull_edges=0"),
      instrumentation::counters);
  require_levels(tried, graph, 0);
  CHECK(tried.instance().distances().at(1) == 2);
  CHECK(tried.instance().distances().back() == graph::unreached);
}

TEST_CASE("levels that are pulled take fewer atomics and look at fewer edges") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  search tried(*device, hard.graph, {}, search_kind::bfs);
  const auto count = [&](const char* label) {
    tried.prepare(configuration_of(label), instrumentation::counters);
    return counters_of(tried.run(hard.sources.front()));
  };
  auto pushed = count("solver=push_pull,threads=64,one_block=0,one_block_graph=0,pull_share=0");
  auto pulled = count("solver=push_pull,threads=64,one_block=0,one_block_graph=0,pull_share=15,pull_edges=0");
  CHECK(pulled["distance_atomics"] < pushed["distance_atomics"]);
  CHECK(pulled["updates"] == pushed["updates"]);
  CHECK(pulled["supersteps"] == pushed["supersteps"]);
  auto gathered =
      count("solver=push_pull,threads=64,one_block=0,one_block_graph=0,pull_share=15,pull_edges=0,gather=0");
  CHECK(gathered["supersteps"] > pulled["supersteps"]);
  CHECK(gathered["updates"] == pulled["updates"]);
}

TEST_CASE("a graph whose edges lead both ways needs no rows of its own to be pulled") {
  const auto real = open_simulator();
  const std::string name = "the reversed edges";
  graph::edge_list edges;
  for (graph::vertex_id v = 0; v + 1 < 40; ++v) edges.add(v, v + 1, 1);
  for (const bool symmetric : {false, true}) {
    tampered_device device(*real);
    const graph::csr_graph graph = graph::build_csr(40, edges, {.symmetric = symmetric});
    search tried(device, graph, {}, search_kind::bfs);
    for (int i = 0; i < 2; ++i) {
      tried.prepare(configuration_of("solver=bellman_ford,threads=64"));
      tried.prepare(
          configuration_of("solver=push_pull,threads=64,one_block=0,one_block_graph=0,pull_share=1048576,pull_edges=0"),
          instrumentation::counters);
      require_levels(tried, graph, 3);
    }
    CHECK(device.allocations[name] == (symmetric ? 0U : 1U));
  }
}

TEST_CASE("a device turns the edges of a graph round whose arrays it alone has") {
  const auto real = open_simulator();
  std::mt19937 draw(7);
  for (int round = 0; round < 8; ++round) {
    CAPTURE(round);
    const graph::csr_graph graph = random_hub_graph(draw, 1, 9);
    unsigned fetches = 0;
    const graph::csr_graph away =
        graph::csr_graph::deferred(graph.vertex_count(), graph.edge_count(), graph::weight_type::uint32, [&] {
          ++fetches;
          return graph;
        });
    const auto rows = problems::upload_rows(*real, graph, "drawn", true);
    problems::resident_reverse reverse(*real, away, *rows, true);
    const auto reversed = reverse.get();
    CHECK(fetches == 0);
    std::vector<u32> starts(graph.vertex_count() + 1);
    std::vector<u32> sources(graph.edge_count());
    real->download(starts.data(), reversed->offsets, reversed->offsets.bytes());
    real->download(sources.data(), reversed->edges, reversed->edges.bytes());
    std::multiset<std::pair<u32, u32>> expected;
    std::multiset<std::pair<u32, u32>> arcs;
    for (u32 v = 0; v < graph.vertex_count(); ++v) {
      for (auto i = graph.offsets()[v]; i < graph.offsets()[v + 1]; ++i) expected.emplace(v, graph.targets()[i]);
      for (u32 i = starts[v]; i < starts[v + 1]; ++i) arcs.emplace(sources.at(i), v);
    }
    CHECK(arcs == expected);
    CHECK(reverse.get() == reversed);
    CHECK_FALSE(reverse.drop_unused());
  }
}

TEST_CASE("the reversed edges make room for another solver's memory") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  search tried(device, hard.graph, {}, search_kind::bfs);
  tried.prepare(configuration_of("solver=push_pull,threads=64"), instrumentation::counters);
  require_levels(tried, hard.graph, 0);
  device.full_once_for = "slices of long rows";
  tried.prepare(configuration_of("solver=bellman_ford,threads=64"));
  CHECK(tried.run(0).message == "");
  device.full_for = "pieces of rows";
  CHECK_THROWS_AS(tried.prepare(configuration_of("solver=push_pull,threads=64")), backends::out_of_device_memory);
}

TEST_CASE("a search by levels that takes too long is stopped, and the next one is right") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  for (const std::string& label : configuration_labels) {
    CAPTURE(label);
    search tried(*device, hard.graph, {}, search_kind::bfs);
    tried.prepare(configuration_of(label), instrumentation::counters);
    const double needed = tried.run(0).milliseconds;
    const tuner::run_report stopped = tried.run(0, 1, needed * 0.05);
    CHECK(stopped.result == db::outcome::timeout);
    require_levels(tried, hard.graph, 136);
  }
}

TEST_CASE("the watchdog stops a search by levels") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  search tried(device, hard.graph, {}, search_kind::bfs);
  for (const std::string& label : configuration_labels) {
    CAPTURE(label);
    tried.prepare(configuration_of(label), instrumentation::counters);
    device.fire_watchdog = true;
    CHECK(tried.run(0, 1, 2000).result == db::outcome::timeout);
    device.fire_watchdog = false;
    require_levels(tried, hard.graph, 0);
  }
}

TEST_CASE("levels are no answer to questions about weights") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  CHECK_THROWS_WITH(tried.prepare(configuration_of("solver=push_pull")),
                    Catch::Contains("solver push_pull ignores weights: use it with the problem bfs"));
}

TEST_CASE("the same seed gives a search by levels the same time and the same work") {
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  // For the first search of an instance, the host resets the control words; for the next one, the first search does.
  std::array<std::set<double>, 2> times;
  std::set<std::vector<std::pair<std::string, double>>> counts;
  for (int device_number = 0; device_number < 2; ++device_number) {
    const auto device = open_simulator();
    search tried(*device, hard.graph, {}, search_kind::bfs);
    tried.prepare(configuration_of(configuration_labels.back()), instrumentation::counters);
    for (std::set<double>& of_run : times) {
      const tuner::run_report report = tried.run(0, 7);
      REQUIRE(report.result == db::outcome::ok);
      of_run.insert(std::round(report.milliseconds * 1e12));
      counts.insert(report.counters);
    }
  }
  for (const std::set<double>& of_run : times) CHECK(of_run.size() == 1);
  CHECK(counts.size() == 1);
}

TEST_CASE("levels are chosen for graphs with hubs, by how many edges there are") {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto chosen = [](double edges, double hub, double hops = 12) {
    return problems::level_search_for({.vertices = 1000, .edges = edges, .longest_row = hub, .hops = hops});
  };
  const std::string few = "solver=push_pull,threads=512,blocks_per_multiprocessor=1";
  CHECK(chosen(1e5, 64) == few);
  CHECK(chosen(5e5, 4000) == few);
  CHECK(chosen(1e6, 4000) == "solver=push_pull,threads=1024,blocks_per_multiprocessor=1");
  CHECK(chosen(1e8, 4000) == "solver=push_pull,threads=1024,blocks_per_multiprocessor=1,long_row=512,piece_edges=64");
  CHECK(chosen(1e6, 63) == std::nullopt);
  CHECK(chosen(1e6, 4000, 33) == std::nullopt);
  CHECK(chosen(1e6, 4000, unknown).has_value());
  CHECK(chosen(unknown, 4000) == std::nullopt);
  CHECK(chosen(1e6, unknown) == std::nullopt);
  for (const double edges : {1e5, 1e6, 1e8}) CHECK_NOTHROW(configuration_of(*chosen(edges, 64)));
}
