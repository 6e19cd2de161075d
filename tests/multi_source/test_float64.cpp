// SPDX-License-Identifier: Apache-2.0
// Multi-source searches with distances of 8 bytes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "graph/adversarial.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "tests/multi_source/batch_test.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;

namespace {

using words = std::vector<graph::wide_distance_bits>;

std::vector<graph::csr_graph> wide_graphs() {
  std::vector<graph::csr_graph> graphs;
  for (const char* const name : {"path", "zero_cycles", "parallels", "hub", "huge", "grid", "rmat", "components"}) {
    graphs.push_back(graph::adversarial_graph(name, graph::weight_type::float64));
  }
  for (const char* const name : {"road6", "rmat6"}) {
    graphs.push_back(graph::with_adversarial_weights(graph::generate_named(name).graph, graph::weight_type::float64));
  }
  return graphs;
}

}  // namespace

TEST_CASE("distances of 8 bytes are those of Dijkstra, by every solver, cut off or not") {
  std::size_t turn = 0;
  for (const graph::csr_graph& graph : wide_graphs()) {
    std::vector<graph::vertex_id> sources(std::min<std::size_t>(graph.vertex_count(), 40));
    std::iota(sources.begin(), sources.end(), graph::vertex_id{0});
    std::vector<words> right;
    for (const graph::vertex_id source : sources) right.push_back(graph::wide_dijkstra(graph, source));
    for (const auto& [device, label] : device_and_label()) {
      // Every solver on every graph would take long on the simulator: some graphs run with all solvers, all with some.
      if (++turn % 2 == 0 && graph.edge_count() > 500) continue;
      if (!tests::in_share(turn)) continue;
      CAPTURE(graph.vertex_count(), device, label);
      multi_source_fixture tested(device, graph);
      tested.prepare(label);
      for (const bool is_cut : {false, true}) {
        const graph::wide_distance_bits cutoff = is_cut ? right[0][right[0].size() / 2] : graph::wide_unreached;
        REQUIRE(tested.search({.sources = sources, .cutoff = cutoff, .keep = true}, turn).result == db::outcome::ok);
        const std::vector<multi_source_answer> answers = tested.instance().active_solver().answers();
        for (std::size_t i = 0; i < sources.size(); ++i) {
          CAPTURE(i, cutoff);
          words expected = right[i];
          std::ranges::replace_if(
              expected, [&](auto d) { return d > cutoff; }, graph::wide_unreached);
          REQUIRE(tested.instance().active_solver().wide_distances(i, 1) == expected);
          const multi_source_answer numbers = answer_of(expected);
          CHECK(answers[i].digest == numbers.digest);
          CHECK(answers[i].reached == numbers.reached);
          CHECK(answers[i].farthest == numbers.farthest);
        }
        if (device == "simt") CHECK_THROWS_AS(tested.instance().active_solver().distances(0, 1), std::logic_error);
      }
    }
  }
}

TEST_CASE("the distances of targets are final with 8 bytes, too, and queries are checked") {
  const graph::csr_graph graph = graph::with_adversarial_weights(graph::generate_road(8), graph::weight_type::float64);
  const std::vector<graph::vertex_id> sources = {0, 17, 17, 200};
  const std::vector<graph::vertex_id> targets = {249, 0, 5, 249};
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph);
    tested.prepare(label);
    REQUIRE(tested.search({.sources = sources, .targets = targets}).result == db::outcome::ok);
    const words distances = tested.instance().active_solver().wide_target_distances();
    REQUIRE(distances.size() == sources.size() * targets.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const words right = graph::wide_dijkstra(graph, sources[i]);
      for (std::size_t t = 0; t < targets.size(); ++t) CHECK(distances[i * targets.size() + t] == right[targets[t]]);
    }
    CHECK(tested.run_and_check("sources=20:seed=2") == "");
    CHECK(tested.run_and_check("sources=20:seed=2:cutoff=7.5") == "");
    CHECK(tested.run_and_check("sources=20:seed=2:targets=9") == "");
  }
}

TEST_CASE("a digest tells distances apart that differ in their last bit") {
  words distances = {0, std::bit_cast<std::uint64_t>(1.5), graph::wide_unreached};
  const multi_source_answer before = answer_of(distances);
  CHECK(before.reached == 2);
  ++distances[1];
  CHECK(answer_of(distances).digest != before.digest);
  CHECK(answer_of(distances).farthest == before.farthest);  // the field holds the upper half of the distance
}
