// SPDX-License-Identifier: Apache-2.0
// Searches of an elimination hierarchy: against brute force on tiny graphs, on larger ones, and graphs that do not
// suit.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "graph/generate.hpp"
#include "graph/hierarchy/customization.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "tests/multi_source/batch_test.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;

namespace {

std::vector<std::pair<std::string, std::string>> hierarchy_devices() { return {{"cpu:2", "solver=cpu_hierarchy"}}; }

/// Returns the expected distances of a tiny graph, cut off.
std::vector<graph::distance_bits> expected_distances(const oracle::tiny_graph& tiny, graph::vertex_id source,
                                                     problems::search_kind kind, graph::distance_bits cutoff) {
  std::vector<graph::distance_bits> distances = oracle::brute_force(tiny, source, kind == problems::search_kind::bfs);
  std::ranges::replace_if(
      distances, [&](graph::distance_bits d) { return d > cutoff; }, graph::unreached);
  return distances;
}

}  // namespace

TEST_CASE("all pairs of tiny graphs by a hierarchy are those of brute force") {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    if (!tests::in_share(seed)) continue;
    const oracle::tiny_graph tiny = oracle::random_tiny_graph(seed);
    const graph::csr_graph graph = tiny.csr();
    const problems::search_kind kind = seed % 3 == 0 ? problems::search_kind::bfs : problems::search_kind::sssp;
    if (kind == problems::search_kind::sssp &&
        (graph.weights() != graph::weight_type::uint32 || !graph::has_short_paths(graph)))
      continue;
    ++tried;
    const auto [device, label] = hierarchy_devices()[seed % hierarchy_devices().size()];
    CAPTURE(seed, device, label, tiny.text());
    // Each vertex twice: more sources than lanes.
    std::vector<graph::vertex_id> sources(2 * graph.vertex_count());
    for (std::size_t i = 0; i < sources.size(); ++i)
      sources[i] = static_cast<graph::vertex_id>(i % graph.vertex_count());
    multi_source_fixture tested(device, graph, kind);
    tested.prepare(label);
    solver& solved = tested.instance().active_solver();
    for (const bool is_cut : {false, true}) {
      const std::vector<graph::distance_bits> first = expected_distances(tiny, 0, kind, graph::unreached);
      const graph::distance_bits cutoff = is_cut ? first[seed % first.size()] : graph::unreached;
      REQUIRE(tested.search({.sources = sources, .cutoff = cutoff, .keep = true}, seed).result == db::outcome::ok);
      const std::vector<multi_source_answer> answers = solved.answers();
      for (std::size_t i = 0; i < sources.size(); ++i) {
        CAPTURE(i, cutoff);
        const std::vector<graph::distance_bits> expected = expected_distances(tiny, sources[i], kind, cutoff);
        REQUIRE(solved.distances(i, 1) == expected);
        const multi_source_answer numbers = answer_of(expected);
        CHECK(answers[i].digest == numbers.digest);
        CHECK(answers[i].reached == numbers.reached);
        CHECK(answers[i].farthest == numbers.farthest);
      }
      const std::vector<graph::vertex_id> targets = {sources[seed % sources.size()],
                                                     sources[(7 * seed + 3) % sources.size()], sources[0]};
      REQUIRE(tested.search({.sources = sources, .targets = targets, .cutoff = cutoff}, seed).result ==
              db::outcome::ok);
      const std::vector<graph::distance_bits> distances = solved.target_distances();
      REQUIRE(distances.size() == sources.size() * targets.size());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::vector<graph::distance_bits> expected = expected_distances(tiny, sources[i], kind, cutoff);
        for (std::size_t t = 0; t < targets.size(); ++t) {
          CAPTURE(i, t, cutoff);
          REQUIRE(distances[i * targets.size() + t] == expected[targets[t]]);
        }
      }
    }
  }
  CHECK(tried > 100);
}

TEST_CASE("answers and distances of larger graphs by a hierarchy") {
  for (const auto& [device, label] : hierarchy_devices()) {
    for (const char* name : {"road9", "del8", "grid20", "path300", "star40", "small8"}) {
      CAPTURE(device, label, name);
      multi_source_fixture tested(device, graph::generate_named(name).graph);
      tested.prepare(label);
      CHECK(tested.run_and_check("seed=1:sources=37").empty());
      CHECK(tested.run_and_check("seed=2:sources=20:targets=5").empty());
      CHECK(tested.run_and_check("seed=3:sources=3:cutoff=4").empty());
    }
  }
}

TEST_CASE("graphs that do not suit a hierarchy are refused with the reason") {
  const auto message_of = [](const graph::csr_graph& graph) -> std::string {
    multi_source_fixture tested("cpu:1", graph);
    try {
      tested.prepare("solver=cpu_hierarchy");
    } catch (const backends::launch_error& error) {
      return error.what();
    }
    return "";
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(message_of(graph::with_weight_type(graph::generate_road(6), graph::weight_type::float32)),
             Contains("integer weights, but these are float32"));
  CHECK_THAT(message_of(graph::csr_graph({0, 1, 1}, {1}, std::vector<std::uint32_t>{graph::no_path})),
             Contains("smaller weights"));
  CHECK_THAT(message_of(graph::generate_named("star1100").graph), Contains("at most 1000 edges"));
  CHECK_THAT(message_of(graph::generate_named("complete40").graph), Contains("at most 32 edges per vertex"));
}

TEST_CASE("solvers with and without a hierarchy can take turns on one instance") {
  multi_source_fixture tested("cpu:2", graph::generate_road(8));
  for (const char* label : {"solver=cpu_hierarchy", "solver=cpu_dijkstra", "solver=cpu_hierarchy"}) {
    tested.prepare(label);
    CHECK(tested.run_and_check("seed=1:sources=5").empty());
  }
}
