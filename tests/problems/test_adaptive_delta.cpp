// SPDX-License-Identifier: Apache-2.0
// Searches that adapt Δ while they run: a Δ that is far too narrow grows, so that the search is nearly as fast as with
// a wide one; a Δ that is too wide shrinks when much work waits; and the answer is right. Times are those of the
// simulator's model.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "base/random.hpp"
#include "graph/builder.hpp"
#include "sssp_test.hpp"

using namespace mlmq;
using namespace mlmq::problems::tests;

namespace {

/// Returns a square grid of streets in both directions, of lengths 1 to 100.
graph::csr_graph streets(std::uint32_t side) {
  random_stream random = random_stream::from_state(3);
  graph::edge_list edges;
  const auto street = [&](std::uint32_t source, std::uint32_t target) {
    const auto length = static_cast<std::uint32_t>(1 + random.below(100));
    edges.add(source, target, length);
    edges.add(target, source, length);
  };
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      if (x + 1 < side) street(y * side + x, y * side + x + 1);
      if (y + 1 < side) street(y * side + x, y * side + x + side);
    }
  }
  return graph::build_csr(side * side, edges);
}

/// Returns layers: edges from one vertex to `width` others, from each of these to the next `width`, and so on.
graph::csr_graph layers(std::uint32_t width, std::uint32_t count) {
  random_stream random = random_stream::from_state(5);
  graph::edge_list edges;
  for (std::uint32_t i = 0; i < width; ++i) edges.add(0, 1 + i, static_cast<std::uint32_t>(1 + random.below(100)));
  for (std::uint32_t layer = 1; layer < count; ++layer) {
    for (std::uint32_t i = 0; i < 3 * width; ++i) {
      const auto source = static_cast<std::uint32_t>(1 + (layer - 1) * width + i % width);
      const auto target = static_cast<std::uint32_t>(1 + layer * width + random.below(width));
      edges.add(source, target, static_cast<std::uint32_t>(1 + random.below(100)));
    }
  }
  return graph::build_csr(1 + width * count, edges);
}

struct outcome {
  double milliseconds;
  std::map<std::string, double> count;
};

outcome outcome_of(search& tried, const graph::csr_graph& graph, const std::string& label) {
  CAPTURE(label);
  tried.prepare(configuration_of(label));
  tuner::run_report report = tried.run(0);
  REQUIRE(report.message == "");
  CHECK(disagreement(tried, graph, 0) == "");
  const double milliseconds = report.milliseconds;
  tried.prepare(configuration_of(label), tuner::instrumentation::counters);
  report = tried.run(0);
  REQUIRE(report.message == "");
  CHECK(disagreement(tried, graph, 0) == "");
  return {milliseconds, {report.counters.begin(), report.counters.end()}};
}

}  // namespace

TEST_CASE("a Δ that is far too narrow grows, and the search is nearly as fast as with a wide one") {
  const auto device = open_simulator();
  const graph::csr_graph graph = streets(32);
  search tried(*device, graph);
  const std::string queues = "l1=vector,l1_capacity=64,wb=8,bnum=1,threads=128,";
  const outcome wide = outcome_of(tried, graph, queues + "delta=1");
  const outcome narrow = outcome_of(tried, graph, queues + "delta=0.125");
  const outcome adapted = outcome_of(tried, graph, queues + "delta=0.125,delta_mode=adaptive");
  CHECK(narrow.milliseconds > 2 * wide.milliseconds);
  CHECK(adapted.milliseconds < 1.25 * wide.milliseconds);
  CHECK(adapted.count.at("delta_changes") >= 1);
  // Searches with a fixed Δ have no such counter.
  CHECK(narrow.count.count("delta_changes") == 0);
}

TEST_CASE("a too wide Δ shrinks when much work waits, and waiting work is sorted again") {
  const auto device = open_simulator();
  const graph::csr_graph graph = layers(2000, 3);
  search tried(*device, graph);
  const std::string queues = "l1=none,bnum=1,l2_batch=1,threads=64,blocks_per_multiprocessor=1,delta=2,";
  const outcome wide = outcome_of(tried, graph, queues + "delta_mode=fixed");
  const outcome adapted = outcome_of(tried, graph, queues + "delta_mode=adaptive");
  CHECK(wide.count.at("resplits") == 0);
  CHECK(adapted.count.at("delta_changes") >= 1);
  CHECK(adapted.count.at("resplits") > 0);
}
