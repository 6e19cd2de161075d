// SPDX-License-Identifier: Apache-2.0
// Breadth-first search finds levels, whatever the weights and the queues.
#include <catch2/catch.hpp>

#include "graph/csr.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;

void search_all(graph::weight_type weights, const std::vector<std::string>& labels) {
  const auto device = open_simulator();
  for (const hard_graph& hard : hard_graphs(weights)) {
    search tried(*device, hard.graph, {}, problems::search_kind::bfs);
    for (const std::string& label : labels) {
      CAPTURE(hard.name, label);
      tried.prepare(configuration_of(label), tuner::instrumentation::counters);
      const graph::vertex_id source = hard.sources.back();
      const tuner::run_report report = tried.run(source);
      REQUIRE(report.message == "");
      CHECK(tried.instance().distances() == levels_of(hard.graph, source));
      CHECK(tried.instance().check() == "");
      auto count = counters_of(report);
      CHECK(count["pops"] == count["updates"] + count["row_segments"] + count["ell_overflow"] + 1);
      CHECK(count["l2_reads"] == count["l2_writes"]);
    }
  }
}

}  // namespace

TEST_CASE("levels are numbers of edges, on every queue") {
  search_all(graph::weight_type::uint32,
             {"l2=vector", "l1=none,l2=bucket,delta=1,bnum=1,threads=64", "l0=vector,l1=near_far,l2=heap",
              "l1=filter,l2=multi_heap,threads=64", "l0=vector,l1=slf,l2=bucket,bmax=8",
              "ell_width=2,ell_overflow=queued,threads=64"});
}

TEST_CASE("levels do not depend on the type of the weights that are left out") {
  search_all(graph::weight_type::float32, {"l2=vector", "l1=none,l2=bucket,delta=1,bnum=1,threads=64"});
}
