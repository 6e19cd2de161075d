// SPDX-License-Identifier: Apache-2.0
// Invalid queries, and failing runs.
#include <catch2/catch.hpp>

#include "graph/generate.hpp"
#include "problems/multi_source/queries.hpp"
#include "tests/multi_source/batch_test.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;
using Catch::Contains;

TEST_CASE("invalid queries are refused with a one-line error") {
  const auto queries = [](const char* name, const char* value) {
    return queries_of({{.settings = {{.name = name, .values = {value}, .place = {}}}, .place = {}}},
                      declared_settings());
  };
  CHECK_THROWS_WITH(queries("sources", "0"), Contains("sources") && !Contains("\n"));
  CHECK_THROWS_WITH(queries("sources", "-1"), Contains("sources"));
  CHECK_THROWS_WITH(queries("sources", "some"), Contains("sources"));
  CHECK_THROWS_WITH(queries("sources", "100000000"), Contains("expected at most"));
  CHECK_THROWS_WITH(queries("source", "5"), Contains("did you mean 'sources'"));
  CHECK_THROWS_WITH(queries("cutoff", "-1"), Contains("average weights"));
  CHECK_THROWS_WITH(queries("cutoff", "nan"), Contains("average weights"));
  CHECK(queries("sources", "all").at(0).text() == "seed=1:sources=all");
  CHECK(queries("cutoff", "2.5").at(0).text() == "cutoff=2.5:seed=1:sources=1024");
  CHECK(queries_of({}, declared_settings()).at(0).text() == "seed=1:sources=1024");
}

TEST_CASE("solvers and configurations run where they belong") {
  const graph::csr_graph graph = graph::generate_road(6);
  multi_source_fixture on_grid("simt", graph);
  CHECK_THROWS_WITH(on_grid.prepare("solver=cpu_dijkstra"), Contains("does not run on"));
  CHECK_THROWS_WITH(on_grid.prepare("threads=48"), Contains("whole warps"));
  CHECK_THROWS_WITH(on_grid.prepare("ell_width=5"),
                    Contains("ell_width=5 violates the limit") && Contains("0, 4, 8 or 16"));
  CHECK_THROWS_WITH(on_grid.prepare("ell_width=2"), Contains("0, 4, 8 or 16"));
  CHECK_THROWS_WITH(on_grid.prepare("threads=32,near_items=32", tuner::instrumentation::timeline),
                    Contains("timeline"));
  multi_source_fixture on_processors("cpu:1", graph);
  CHECK_THROWS_WITH(on_processors.prepare("solver=group"), Contains("does not run on"));
}

TEST_CASE("a run that takes too long is a timeout, and the next one is right") {
  const graph::csr_graph graph = graph::generate_road(10);
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph);
    tested.prepare(label);
    CHECK(tested.run("sources=64:seed=1", 1, 0.001).result == db::outcome::timeout);
    CHECK_FALSE(tested.instance().check().empty());
    CHECK(tested.run_and_check("sources=2:seed=1").empty());
  }
}

TEST_CASE("a graph without edges has searches that reach their sources alone") {
  const graph::csr_graph graph(std::vector<graph::edge_offset>{0, 0, 0}, std::vector<graph::vertex_id>{},
                               std::vector<std::uint32_t>{});
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph);
    tested.prepare(label);
    CHECK(tested.run_and_check("sources=all:seed=1").empty());
  }
}
