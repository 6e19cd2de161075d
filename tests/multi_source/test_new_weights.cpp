// SPDX-License-Identifier: Apache-2.0
// Graphs whose weights change between searches.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <stop_token>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/stop.hpp"
#include "graph/generate.hpp"
#include "graph/new_weights.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/graphs/resident_weights.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "tests/multi_source/batch_test.hpp"
#include "tests/support/bellman_ford.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;

namespace {

/// Returns weights up to `largest`.
std::vector<std::uint32_t> random_weights(std::size_t count, std::uint64_t seed, std::uint64_t largest) {
  random_stream random({seed, count});
  std::vector<std::uint32_t> weights(count);
  for (std::uint32_t& weight : weights) weight = static_cast<std::uint32_t>(random.below(largest + 1));
  return weights;
}

void check_all_pairs(multi_source_fixture& tested, const graph::csr_graph& graph) {
  std::vector<graph::vertex_id> sources(graph.vertex_count());
  std::iota(sources.begin(), sources.end(), graph::vertex_id{0});
  REQUIRE(tested.search({.sources = sources, .keep = true}).result == db::outcome::ok);
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v)
    REQUIRE(tested.instance().active_solver().distances(v, 1) == tests::bellman_ford(graph, v));
}

}  // namespace

TEST_CASE("weights that change 20 times give the distances of Dijkstra each time") {
  for (const auto& [device, label] : tests::share_of(hierarchy_device_and_label())) {
    CAPTURE(device, label);
    const graph::csr_graph first = graph::generate_named("road8").graph;
    multi_source_fixture tested(device, first);
    tested.prepare(label);
    CHECK(tested.run_and_check("seed=1:sources=9").empty());
    for (std::uint64_t i = 1; i <= 20; ++i) {
      CAPTURE(i);
      // Every fourth time the lengths of paths exceed 31 bits, and sometimes 32.
      const std::uint64_t largest = i % 4 == 0 ? 0xF000'0000 : i % 4 == 1 ? 3 : 1000;
      tested.instance().update_weights(graph::with_weights(first, random_weights(first.edge_count(), i, largest)));
      tested.prepare(label, i % 2 == 0 ? tuner::instrumentation::none : tuner::instrumentation::counters);
      CHECK(tested.run_and_check("seed=1:sources=9").empty());
      CHECK(tested.run_and_check("seed=2:sources=40:targets=5", i).empty());
    }
  }
}

TEST_CASE("all pairs of tiny graphs after a change of their weights") {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    if (!tests::in_share(seed)) continue;
    const oracle::tiny_graph tiny = oracle::random_tiny_graph(seed);
    const graph::csr_graph first = tiny.csr();
    if (first.weights() != graph::weight_type::uint32) continue;
    ++tried;
    const auto [device, label] = hierarchy_device_and_label()[seed % hierarchy_device_and_label().size()];
    CAPTURE(seed, device, label, tiny.text());
    multi_source_fixture tested(device, first);
    tested.prepare(label);
    for (const std::uint64_t largest : {std::uint64_t{4}, std::uint64_t{graph::largest_weight}}) {
      const graph::csr_graph second = graph::with_weights(first, random_weights(first.edge_count(), seed, largest));
      tested.instance().update_weights(second);
      tested.prepare(label);
      check_all_pairs(tested, second);
    }
  }
  CHECK(tried > 20);
}

TEST_CASE("other solvers have new weights too, and solvers can change") {
  const graph::csr_graph first = graph::generate_named("road6").graph;
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, first);
    tested.prepare(label);
    check_all_pairs(tested, first);
    for (std::uint64_t i = 1; i <= 2; ++i) {
      const graph::csr_graph second = graph::with_weights(first, random_weights(first.edge_count(), i, 900));
      tested.instance().update_weights(second);
      const bool has_device = device == "simt";
      tested.prepare(has_device ? "solver=hierarchy,threads=32,blocks=1,slots=8,piece_vertices=9"
                                : "solver=cpu_hierarchy");
      check_all_pairs(tested, second);
      tested.prepare(label);
      check_all_pairs(tested, second);
    }
  }
}

TEST_CASE("refused solvers leave nothing behind when weights change") {
  // Hierarchies support neither floats nor hubs.
  std::vector<graph::edge_offset> offsets(1302, 1300);
  offsets.front() = 0;
  std::vector<graph::vertex_id> leaves(1300);
  std::iota(leaves.begin(), leaves.end(), graph::vertex_id{1});
  const graph::csr_graph star(offsets, leaves, std::vector<std::uint32_t>(leaves.size(), 3));
  const graph::csr_graph floats({0, 1, 1}, {1}, std::vector<float>{0.5F});
  for (const auto& [device, refused, other] :
       {std::array{"simt", "solver=hierarchy,threads=32,blocks=1", "solver=block,threads=32,blocks=1,near_items=32"},
        std::array{"simt", "solver=supernode,threads=32,blocks=1", "solver=group,threads=64,blocks=1,parts=1"},
        std::array{"cpu:1", "solver=cpu_hierarchy", "solver=cpu_dijkstra"}}) {
    CAPTURE(device, refused);
    multi_source_fixture hub(device, star);
    CHECK_THROWS_WITH(hub.prepare(refused), Catch::Contains("edges"));
    const graph::csr_graph second = graph::with_weights(star, random_weights(leaves.size(), 1, 900));
    hub.instance().update_weights(second);
    CHECK_THROWS_WITH(hub.prepare(refused), Catch::Contains("edges"));
    hub.prepare(other);
    const std::vector<graph::vertex_id> sources = {0, 7};
    REQUIRE(hub.search({.sources = sources, .keep = true}).result == db::outcome::ok);
    CHECK(hub.instance().active_solver().distances(0, 1) == tests::bellman_ford(second, 0));

    multi_source_fixture decimal(device, floats);
    CHECK_THROWS_WITH(decimal.prepare(refused), Catch::Contains("integer weights"));
    decimal.instance().update_weights(graph::with_weights(floats, std::vector<float>{0.25F}));
    decimal.prepare(other);
    CHECK(decimal.run_and_check("seed=1:sources=all").empty());
  }
}

TEST_CASE("a stopped change of weights leaves no solver with former weights") {
  const graph::csr_graph first = graph::generate_named("road6").graph;
  std::stop_source stopped;
  stopped.request_stop();
  for (const auto& [device, label] : hierarchy_device_and_label()) {
    if (device != "simt") continue;
    CAPTURE(label);
    multi_source_fixture tested(device, first);
    tested.prepare(label);
    check_all_pairs(tested, first);
    const graph::csr_graph second = graph::with_weights(first, random_weights(first.edge_count(), 1, 900));
    {
      const stop_scope scope(stopped.get_token());
      CHECK_THROWS_AS(tested.instance().update_weights(second), stopped_error);
    }
    tested.prepare(label);
    check_all_pairs(tested, second);
  }
}

TEST_CASE("new weights in device memory do not pass through host memory") {
  const graph::csr_graph first = graph::generate_named("road8").graph;
  for (const auto& [device, label] : hierarchy_device_and_label()) {
    if (device != "simt") continue;
    CAPTURE(label);
    multi_source_fixture tested(device, first);
    // Every other time the lengths of paths exceed 31 bits. The first weights change before there is a hierarchy.
    for (std::uint64_t i = 1; i <= 4; ++i) {
      CAPTURE(i);
      const std::vector<std::uint32_t> weights =
          random_weights(first.edge_count(), i, i % 2 == 0 ? graph::largest_weight : 1000);
      const auto resident = std::make_shared<const problems::resident_weights>(
          problems::copy_weights(tested.device(), backends::uploaded(tested.device(), weights, "weights"),
                                 weights.size(), graph::weight_type::uint32));
      CHECK(resident->heaviest_bits == *std::ranges::max_element(weights));
      CHECK(resident->average == Approx(problems::average_weight(graph::with_weights(first, weights))));
      const graph::csr_graph second =
          graph::csr_graph::deferred(first.vertex_count(), first.edge_count(), graph::weight_type::uint32,
                                     [&] { return problems::download_weights(tested.device(), *resident, first); });
      tested.instance().update_weights(second, resident);
      tested.prepare(label, tuner::instrumentation::none);
      const std::vector<graph::vertex_id> sources = {3, 40, 40, 200};
      REQUIRE(tested.search({.sources = sources, .keep = true}).result == db::outcome::ok);
      CHECK_FALSE(second.is_fetched());
      for (std::size_t s = 0; s < sources.size(); ++s) {
        REQUIRE(tested.instance().active_solver().distances(s, 1) ==
                tests::bellman_ford(graph::with_weights(first, weights), sources[s]));
      }
      CHECK(tested.run_and_check("seed=1:sources=9").empty());  // with weights that were copied to the host
      CHECK(second.is_fetched());
    }
    // Weights from host memory replace those on the device.
    tested.instance().update_weights(first);
    tested.prepare(label);
    CHECK(tested.run_and_check("seed=1:sources=9").empty());
  }
}

TEST_CASE("new weights of breadth-first searches change nothing") {
  const graph::csr_graph first = graph::generate_named("road6").graph;
  multi_source_fixture tested("simt", first, problems::search_kind::bfs);
  tested.prepare("solver=hierarchy,threads=32,blocks=1");
  tested.instance().update_weights(graph::with_weights(first, random_weights(first.edge_count(), 1, 900)));
  CHECK(tested.run_and_check("seed=1:sources=9").empty());
}

TEST_CASE("weights of another number or type are refused") {
  const graph::csr_graph first = graph::generate_named("road6").graph;
  CHECK_THROWS_WITH(graph::with_weights(first, std::vector<std::uint32_t>{1, 2}),
                    Catch::Contains("2 new weights: the graph has"));
  CHECK_THROWS_WITH(graph::with_weights(first, std::vector<float>(first.edge_count())),
                    Catch::Contains("new weights of type float32"));
  CHECK_THROWS_AS(graph::with_weights(first, std::vector<std::uint32_t>(first.edge_count(), graph::unreached)),
                  input_error);
}
