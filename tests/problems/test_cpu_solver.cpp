// SPDX-License-Identifier: Apache-2.0
// The searches on processors as configurations of the problems.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "backends/cpu/searches/search.hpp"
#include "graph/generate.hpp"
#include "sssp_test.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using Catch::Contains;

std::vector<std::string> labels() {
  return {"solver=boost_dijkstra", "solver=dijkstra", "solver=delta_stepping",
          "solver=delta_stepping,cpu_delta=0.05,fusion=0,chunk=1,lookahead=1",
          "solver=delta_stepping,cpu_delta=1000000,lookahead=32"};
}

}  // namespace

TEST_CASE("on processors, every solver finds Dijkstra's distances") {
  const auto device = backends::open_device("cpu:3");
  for (const auto weights : {graph::weight_type::uint32, graph::weight_type::float32, graph::weight_type::float64}) {
    for (const hard_graph& hard : hard_graphs(weights)) {
      search tried(*device, hard.graph);
      for (const std::string& label : labels()) {
        tried.prepare(configuration_of(label));
        for (const graph::vertex_id source : hard.sources) {
          CAPTURE(hard.name, label, source);
          CHECK(tried.run(source).result == db::outcome::ok);
          CHECK(disagreement(tried, hard.graph, source).empty());
        }
      }
    }
  }
}

TEST_CASE("on processors, breadth-first search finds levels") {
  const auto device = backends::open_device("cpu:2");
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::float32);
  search tried(*device, hard.graph, {}, problems::search_kind::bfs);
  std::vector<std::string> configurations = labels();
  configurations.insert(configurations.end(), {"solver=bfs", "solver=bfs,pull=0,chunk=1", "solver=bfs,pull=1000000"});
  for (const std::string& label : configurations) {
    CAPTURE(label);
    tried.prepare(configuration_of(label));
    for (const graph::vertex_id source : hard.sources) {
      CHECK(tried.run(source).result == db::outcome::ok);
      CHECK(tried.instance().check().empty());
    }
  }
  search weighted(*device, hard.graph);
  CHECK_THROWS_AS(weighted.prepare(configuration_of("solver=bfs")), backends::launch_error);
  CHECK_THROWS_WITH(weighted.prepare(configuration_of("solver=bfs")), Contains("problem bfs"));
}

TEST_CASE("the work of processors is counted under the names that kernels use") {
  const auto device = backends::open_device("cpu:2");
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  for (const std::string_view name : cpu::solver_names()) {
    if (cpu::needs_unit_weights(name)) continue;
    CAPTURE(name);
    const auto chosen = configuration_of("solver=" + std::string(name));
    tried.prepare(chosen, tuner::instrumentation::counters);
    const auto counters = counters_of(tried.run(0));
    CHECK(counters.size() == 6);
    CHECK(counters.at("pops") >= hard.graph.vertex_count());
    CHECK(counters.at("relaxations") >= hard.graph.edge_count());
    tried.prepare(chosen);
    CHECK(tried.run(0).counters.empty());
  }
}

TEST_CASE("a search on processors that takes too long is a timeout") {
  const auto device = backends::open_device("cpu:2");
  const graph::csr_graph path = graph::generate_path(2'000'000);
  search tried(*device, path, {}, problems::search_kind::bfs);
  for (const std::string_view name : cpu::solver_names()) {
    CAPTURE(name);
    tried.prepare(configuration_of("solver=" + std::string(name)));
    const tuner::run_report report = tried.run(0, 1, 0.5);
    CHECK(report.result == db::outcome::timeout);
    CHECK_THAT(report.message, Contains("0.5 ms"));
  }
}

TEST_CASE("a solver that does not fit the device is refused with a list of those that fit") {
  const hard_graph hard = hard_graph_named("path", graph::weight_type::uint32);
  const auto processors = backends::open_device("cpu:1");
  const auto simulator = open_simulator();
  search on_processors(*processors, hard.graph);
  search on_simulator(*simulator, hard.graph);
  for (const char* const label : {"", "l2=heap"}) {
    CHECK_THROWS_AS(on_processors.prepare(configuration_of(label)), backends::launch_error);
    CHECK_THROWS_WITH(on_processors.prepare(configuration_of(label)),
                      Contains("mlmq") && Contains("cpu:1") && Contains("delta_stepping"));
  }
  for (const std::string& label : labels()) {
    CHECK_THROWS_AS(on_simulator.prepare(configuration_of(label)), backends::launch_error);
    CHECK_THROWS_WITH(on_simulator.prepare(configuration_of(label)), Contains("--device cpu"));
  }
}

TEST_CASE("results of solvers on processors are those of their sources") {
  const auto hash_of = [](const std::string& label) {
    return problems::search(problems::search_kind::sssp).source_hash(configuration_of(label));
  };
  CHECK(hash_of("solver=dijkstra") == hash_of("solver=delta_stepping"));
  CHECK(hash_of("solver=dijkstra") == cpu::solver_source_hash());
  CHECK(hash_of("solver=dijkstra") != hash_of(""));
}
