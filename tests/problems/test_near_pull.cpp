// SPDX-License-Identifier: Apache-2.0
// Shortest paths by near_pull: right distances when vertices are pushed, pulled or both, by one block or by all;
// failures are reported; the reversed edges have the right weights; and runs are reproducible.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/weight_traits.hpp"
#include "problems/shortest_paths/solvers/reverse_rows.hpp"
#include "random_hub_graph.hpp"
#include "simt/types.cuh"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using problems::search_kind;
using tuner::instrumentation;

/// The rest is never pulled, pulled as soon as possible, or after some limits; rows are cut or not.
const std::vector<std::string> near_pull_labels = {
    "solver=near_pull,threads=64,pull_share=0",
    "solver=near_pull,threads=64,pull_share=0,near_limit=1,piece_edges=8,long_row=8",
    "solver=near_pull,threads=64,pull_share=1048576,near_limit=0.1,piece_edges=8,long_row=16",
    "solver=near_pull,threads=128,pull_share=2,near_limit=1",
    "solver=near_pull,threads=64,near_limit=1000,piece_edges=16",
    "solver=near_pull,threads=64"};

void require_answer(search& tried, const graph::csr_graph& graph, graph::vertex_id source, std::uint64_t seed = 1) {
  CAPTURE(source, seed);
  const tuner::run_report report = tried.run(source, seed);
  REQUIRE(report.message == "");
  REQUIRE(disagreement(tried, graph, source) == "");
  auto count = counters_of(report);
  CHECK(count["l2_reads"] == count["l2_writes"]);
}

}  // namespace

TEST_CASE("vertices that are pushed or pulled have the right distances") {
  const auto device = open_simulator();
  for (const graph::weight_type weights : {graph::weight_type::uint32, graph::weight_type::float32}) {
    for (const hard_graph& hard : hard_graphs(weights)) {
      search tried(*device, hard.graph);
      for (const std::string& label : near_pull_labels) {
        CAPTURE(hard.name, label);
        tried.prepare(configuration_of(label), instrumentation::counters);
        for (const graph::vertex_id source : hard.sources) require_answer(tried, hard.graph, source);
      }
    }
  }
}

TEST_CASE("random tiny graphs have the same distances by every way") {
  const auto device = open_simulator();
  std::mt19937 draw(20261126);
  for (std::uint64_t round = 0; round < 60 * fuzz_factor(); ++round) {
    const graph::csr_graph graph = graph::with_weight_type(
        random_hub_graph(draw, 0, 39),
        std::array{graph::weight_type::uint32, graph::weight_type::float32, graph::weight_type::float64}[round % 3]);
    search tried(*device, graph);
    for (const std::string& label : near_pull_labels) {
      CAPTURE(round, label);
      tried.prepare(configuration_of(label), instrumentation::counters);
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        require_answer(tried, graph, std::uniform_int_distribution<graph::vertex_id>(0, graph.vertex_count() - 1)(draw),
                       seed);
      }
    }
  }
}

TEST_CASE("near_pull finds levels") {
  const auto device = open_simulator();
  for (const hard_graph& hard : hard_graphs(graph::weight_type::uint32)) {
    search tried(*device, hard.graph, {}, search_kind::bfs);
    for (const std::string& label : near_pull_labels) {
      CAPTURE(hard.name, label);
      tried.prepare(configuration_of(label));
      REQUIRE(tried.run(hard.sources.front()).message == "");
      CHECK(tried.instance().distances() == levels_of(hard.graph, hard.sources.front()));
    }
  }
}

TEST_CASE("a vertex with many incoming edges is pulled by a whole warp, from the best of them") {
  // Vertex 1 has 3,000 edges from unreachable vertices, and two from vertices near the source; the last is best.
  graph::edge_list edges;
  constexpr graph::vertex_id first = 100;
  constexpr graph::vertex_id many = 3000;
  for (graph::vertex_id v = 2; v < first; ++v) edges.add(0, v, 1);
  edges.add(2, 1, 900);
  for (graph::vertex_id v = first; v < first + many; ++v) edges.add(v, 1, 1);
  edges.add(99, 1, 700);
  const auto device = open_simulator();
  for (const graph::weight_type weights : {graph::weight_type::uint32, graph::weight_type::float64}) {
    const graph::csr_graph graph = graph::with_weight_type(graph::build_csr(first + many, edges), weights);
    search tried(*device, graph);
    tried.prepare(configuration_of("solver=near_pull,threads=64,pull_share=1048576,near_limit=3"),
                  instrumentation::counters);
    require_answer(tried, graph, 0);
  }
}

TEST_CASE("pulling the rest takes fewer atomics and looks at fewer edges") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  const auto count = [&](const char* label) {
    tried.prepare(configuration_of(label), instrumentation::counters);
    return counters_of(tried.run(hard.sources.front()));
  };
  auto pushed = count("solver=near_pull,threads=64,pull_share=0,near_limit=1000");
  auto pulled = count("solver=near_pull,threads=64,pull_share=4,near_limit=0.4");
  CHECK(pulled["distance_atomics"] < pushed["distance_atomics"]);
  CHECK(pulled["relaxations"] < pushed["relaxations"]);
}

TEST_CASE("the reversed edges have weights; a graph of equal weights in both directions needs none") {
  const auto real = open_simulator();
  const std::string name = "the reversed edges";
  for (const graph::weight_type weights :
       {graph::weight_type::uint32, graph::weight_type::float32, graph::weight_type::float64}) {
    for (const bool symmetric : {false, true}) {
      for (const bool one_weight_differs : {false, true}) {
        CAPTURE(graph::name_of(weights), symmetric, one_weight_differs);
        graph::edge_list edges;
        for (graph::vertex_id v = 0; v + 1 < 40; ++v) {
          edges.add(v, v + 1, 3 + v % 5);
          if (symmetric) edges.add(v + 1, v, one_weight_differs && v == 20 ? 1 : 3 + v % 5);
        }
        const graph::csr_graph graph = graph::with_weight_type(graph::build_csr(40, edges), weights);
        tampered_device device(*real);
        search tried(device, graph);
        for (int i = 0; i < 2; ++i) {
          tried.prepare(configuration_of("solver=bellman_ford,threads=64"));
          tried.prepare(configuration_of("solver=near_pull,threads=64,pull_share=1048576,near_limit=0.5"),
                        instrumentation::counters);
          require_answer(tried, graph, 3);
        }
        CHECK(device.allocations[name] == (symmetric && !one_weight_differs ? 0U : 1U));
      }
    }
  }
}

TEST_CASE("a device turns the weighted edges of a graph round whose arrays it alone has") {
  const auto real = open_simulator();
  std::mt19937 draw(7);
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    const bool is_wide = round % 2 != 0;
    const graph::csr_graph graph = graph::with_weight_type(
        random_hub_graph(draw, 0, 39), is_wide ? graph::weight_type::float64 : graph::weight_type::uint32);
    const graph::csr_graph away =
        graph::csr_graph::deferred(graph.vertex_count(), graph.edge_count(), graph.weights(), [&] { return graph; });
    const auto rows = problems::upload_rows(*real, graph, "drawn", false);
    problems::resident_reverse reverse(*real, away, *rows, false);
    const auto reversed = reverse.get();
    CHECK_FALSE(away.is_fetched());
    std::vector<u32> starts(graph.vertex_count() + 1);
    real->download(starts.data(), reversed->offsets, reversed->offsets.bytes());
    std::vector<graph::wide_edge> sources(graph.edge_count());
    if (is_wide) {
      real->download(sources.data(), reversed->edges, reversed->edges.bytes());
    } else {
      std::vector<u64> words(graph.edge_count());
      real->download(words.data(), reversed->edges, reversed->edges.bytes());
      for (std::size_t i = 0; i < words.size(); ++i) {
        sources[i] = {.target = words[i] & 0xFFFFFFFF, .weight_bits = words[i] >> 32};
      }
    }
    std::multiset<std::array<u64, 3>> expected;
    std::multiset<std::array<u64, 3>> arcs;
    for (u32 v = 0; v < graph.vertex_count(); ++v) {
      for (auto i = graph.offsets()[v]; i < graph.offsets()[v + 1]; ++i) {
        expected.insert({v, graph.targets()[i], is_wide ? graph.wide_weight_bits()[i] : graph.weight_bits()[i]});
      }
      for (u32 i = starts[v]; i < starts[v + 1]; ++i) arcs.insert({sources[i].target, v, sources[i].weight_bits});
    }
    CHECK(arcs == expected);
  }
}

TEST_CASE("near_pull without memory for its pieces says so") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  search tried(device, hard.graph);
  for (const char* const name : {"pieces of rows", "rows ordered by limits", "numbers of edges below limits"}) {
    CAPTURE(name);
    device.full_for = name;
    CHECK_THROWS_AS(tried.prepare(configuration_of("solver=near_pull,threads=64")), backends::out_of_device_memory);
  }
  device.full_for = "";
  tried.prepare(configuration_of("solver=near_pull,threads=64"), instrumentation::counters);
  require_answer(tried, hard.graph, 0);
}

TEST_CASE("rows are ordered again for another limit only") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  search tried(device, hard.graph);
  const auto launches_for = [&](const std::string& label) {
    tried.prepare(configuration_of("solver=near_pull,threads=64," + label), instrumentation::counters);
    const unsigned before = std::exchange(device.launches, 0);
    require_answer(tried, hard.graph, 0);
    device.launches = 0;
    return before;
  };
  CHECK(launches_for("near_limit=0.5") == 1);
  CHECK(launches_for("near_limit=0.5,piece_edges=64") == 0);
  CHECK(launches_for("near_limit=0.1") == 1);
}

// A path takes enough supersteps for the deadline to be checked.
TEST_CASE("a search by near_pull that takes too long is stopped, and the next one is right") {
  const auto device = open_simulator();
  const graph::csr_graph path = graph::generate_path(1000);
  for (const std::string& label : near_pull_labels) {
    CAPTURE(label);
    search tried(*device, path);
    tried.prepare(configuration_of(label), instrumentation::counters);
    const double needed = tried.run(0).milliseconds;
    const tuner::run_report stopped = tried.run(0, 1, needed * 0.05);
    CHECK(stopped.result == db::outcome::timeout);
    require_answer(tried, path, 990);
  }
}

TEST_CASE("the watchdog stops a search by near_pull") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const graph::csr_graph path = graph::generate_path(1000);
  search tried(device, path);
  for (const std::string& label : near_pull_labels) {
    CAPTURE(label);
    tried.prepare(configuration_of(label), instrumentation::counters);
    device.fire_watchdog = true;
    CHECK(tried.run(0, 1, 2000).result == db::outcome::timeout);
    device.fire_watchdog = false;
    require_answer(tried, path, 990);
  }
}

TEST_CASE("the same seed gives near_pull the same time and the same work") {
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  // For the first search of an instance, the host resets the control words; for the next one, the first search does.
  std::array<std::set<double>, 2> times;
  std::set<std::vector<std::pair<std::string, double>>> counts;
  for (int device_number = 0; device_number < 2; ++device_number) {
    const auto device = open_simulator();
    search tried(*device, hard.graph);
    tried.prepare(configuration_of(near_pull_labels.back()), instrumentation::counters);
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
