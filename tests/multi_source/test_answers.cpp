// SPDX-License-Identifier: Apache-2.0
// Every solver against brute force on tiny graphs, and against each other on larger ones.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "tests/multi_source/batch_test.hpp"
#include "tests/oracle/chain_graph.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;

namespace {

std::vector<graph::vertex_id> all_vertices(const graph::csr_graph& graph) {
  std::vector<graph::vertex_id> vertices(graph.vertex_count());
  std::iota(vertices.begin(), vertices.end(), graph::vertex_id{0});
  return vertices;
}

/// Returns `distances` with those beyond `cutoff` replaced by unreached.
std::vector<graph::distance_bits> cut(std::vector<graph::distance_bits> distances, graph::distance_bits cutoff) {
  std::ranges::replace_if(
      distances, [&](graph::distance_bits d) { return d > cutoff; }, graph::unreached);
  return distances;
}

}  // namespace

TEST_CASE(
    "all pairs of tiny graphs are those of brute force, by every solver, cut off or not, with targets or without") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    if (!tests::in_share(seed)) continue;
    const oracle::tiny_graph tiny = oracle::random_tiny_graph(seed);
    const graph::csr_graph graph = tiny.csr();
    const std::vector<graph::vertex_id> sources = all_vertices(graph);
    const problems::search_kind kind = seed % 3 == 0 ? problems::search_kind::bfs : problems::search_kind::sssp;
    std::vector<std::vector<graph::distance_bits>> right;
    for (const graph::vertex_id source : sources) {
      right.push_back(oracle::brute_force(tiny, source, kind == problems::search_kind::bfs));
    }
    const auto [device, label] = device_and_label()[seed % device_and_label().size()];
    CAPTURE(seed, device, label, tiny.text());
    multi_source_fixture tested(device, graph, kind);
    tested.prepare(label);
    for (const bool is_cut : {false, true}) {
      // The cutoff is a distance that occurs.
      const graph::distance_bits cutoff = is_cut ? right[0][seed % right[0].size()] : graph::unreached;
      REQUIRE(tested.search({.sources = sources, .cutoff = cutoff, .keep = true}, seed).result == db::outcome::ok);
      const std::vector<multi_source_answer> answers = tested.instance().active_solver().answers();
      for (std::size_t i = 0; i < sources.size(); ++i) {
        CAPTURE(i, cutoff);
        const std::vector<graph::distance_bits> expected = cut(right[i], cutoff);
        REQUIRE(tested.instance().active_solver().distances(i, 1) == expected);
        const multi_source_answer numbers = answer_of(expected);
        CHECK(answers[i].digest == numbers.digest);
        CHECK(answers[i].reached == numbers.reached);
        CHECK(answers[i].farthest == numbers.farthest);
      }
      const std::vector<graph::vertex_id> targets = {sources[seed % sources.size()],
                                                     sources[(7 * seed + 3) % sources.size()]};
      REQUIRE(tested.search({.sources = sources, .targets = targets, .cutoff = cutoff}, seed).result ==
              db::outcome::ok);
      const std::vector<graph::distance_bits> distances = tested.instance().active_solver().target_distances();
      REQUIRE(distances.size() == sources.size() * targets.size());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        CAPTURE(i, cutoff, targets);
        const std::vector<graph::distance_bits> expected = cut(right[i], cutoff);
        for (std::size_t t = 0; t < targets.size(); ++t) {
          REQUIRE(distances[i * targets.size() + t] == expected[targets[t]]);
        }
      }
    }
  }
}

namespace {

/// Searches from all vertices with each configuration and several cutoffs, with targets and without.
void check_cores(const std::string& device, const graph::csr_graph& graph, const std::vector<std::string>& labels,
                 std::uint64_t seed) {
  const std::vector<graph::vertex_id> sources = all_vertices(graph);
  std::vector<std::vector<graph::distance_bits>> right;
  for (const graph::vertex_id source : sources) right.push_back(graph::dijkstra(graph, source));
  const std::vector<graph::vertex_id> targets = {sources[seed % sources.size()], sources.back(),
                                                 sources[(7 * seed + 3) % sources.size()], sources.back()};
  multi_source_fixture tested(device, graph);
  for (const std::string& label : labels) {
    tested.prepare(label);
    solver& solved = tested.instance().active_solver();
    for (const graph::distance_bits cutoff : {graph::unreached, right[0].back(), graph::distance_bits{120}}) {
      CAPTURE(seed, label, cutoff);
      for (const bool keep : {true, false}) {
        REQUIRE(tested.search({.sources = sources, .cutoff = cutoff, .keep = keep}).result == db::outcome::ok);
        const std::vector<multi_source_answer> answers = solved.answers();
        for (std::size_t i = 0; i < sources.size(); ++i) {
          const std::vector<graph::distance_bits> expected = cut(right[i], cutoff);
          if (keep) REQUIRE(solved.distances(i, 1) == expected);
          REQUIRE(answers[i].digest == answer_of(expected).digest);
          REQUIRE(answers[i].reached == answer_of(expected).reached);
          REQUIRE(answers[i].farthest == answer_of(expected).farthest);
        }
      }
      REQUIRE(tested.search({.sources = sources, .targets = targets, .cutoff = cutoff}).result == db::outcome::ok);
      const std::vector<graph::distance_bits> distances = solved.target_distances();
      for (std::size_t i = 0; i < sources.size(); ++i) {
        for (std::size_t t = 0; t < targets.size(); ++t) {
          REQUIRE(distances[i * targets.size() + t] == cut(right[i], cutoff)[targets[t]]);
        }
      }
    }
  }
}

const std::vector<std::string> labels_of_cores = {"solver=block,threads=64,blocks=1,near_items=32,delta=4",
                                                  "solver=block,threads=32,blocks=2,ell_width=4,delta=0.3",
                                                  "solver=block,threads=64,ell_width=8,packed_rows=true"};

}  // namespace

TEST_CASE("searches of cores have the distances of the whole graph, cut off or not, with targets or without") {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    check_cores("cpu:2", oracle::chains_of_all_kinds(seed),
                {"solver=cpu_dijkstra,reduction=chains", "solver=cpu_dijkstra,reduction=core", "solver=cpu_dijkstra",
                 "solver=cpu_dijkstra,reduction=leaves"},
                seed);
  }
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    check_cores(
        "simt:2x4", oracle::chains_of_all_kinds(seed),
        {labels_of_cores[seed % 2] + ",reduction=chains", labels_of_cores[0],
         labels_of_cores[(seed + 1) % 2] + ",reduction=core", labels_of_cores[(seed + 1) % 2] + ",reduction=leaves"},
        seed);
  }
  // Enough sources for several threads of the host.
  check_cores("simt:2x4", graph::generate_road(8),
              {labels_of_cores[2] + ",reduction=chains", labels_of_cores[1] + ",reduction=core"}, 3);
}

TEST_CASE("many searches refuse a core where it would have other lengths, or another order") {
  for (const auto& [device, solver] : {std::pair("cpu:2", "solver=cpu_dijkstra"), {"simt:2x8", "solver=block"}}) {
    const std::string label = std::string(solver) + ",reduction=chains";
    multi_source_fixture levels(device, graph::generate_road(6), problems::search_kind::bfs);
    CHECK_THROWS_WITH(levels.prepare(label), Catch::Contains("use the problem sssp"));
    multi_source_fixture floats(device, graph::with_weight_type(graph::generate_road(6), graph::weight_type::float32));
    CHECK_THROWS_WITH(floats.prepare(label), Catch::Contains("or whole weights"));
  }
  multi_source_fixture placed("simt:2x4", graph::generate_road(6));
  CHECK_THROWS_WITH(placed.prepare("solver=block,order=place,reduction=chains"), Catch::Contains("choose order=given"));
  CHECK_THROWS_WITH(placed.prepare("solver=group,reduction=chains"),
                    Catch::Contains("'reduction' does not apply here"));
}

TEST_CASE("searches of cores read and sum the distances of all vertices, also after the weights have changed") {
  const graph::csr_graph graph = graph::generate_road(9);
  const std::vector<graph::vertex_id> sources = {3, 200, 17, 99};
  for (const auto& [device, whole] : {std::pair("cpu:2", "solver=cpu_dijkstra"), {"simt:2x8", "solver=block"}}) {
    CAPTURE(whole);
    multi_source_fixture tested(device, graph);
    const auto sums_of = [&](const std::string& label) {
      tested.prepare(label);
      const auto reader = make_reducer(
          tested.device(), graph.weights(),
          {.kind = reduction_kind::distance_sum, .vertices = all_vertices(graph), .has_all_vertices = true});
      const std::vector<distance_reader*> readers = {reader.get()};
      REQUIRE(tested.search({.sources = sources, .readers = readers}).result == db::outcome::ok);
      return reader->results();
    };
    const std::string of_core = std::string(whole) + ",reduction=chains";
    const std::string of_small_core = std::string(whole) + ",reduction=core";
    CHECK(sums_of(of_core) == sums_of(whole));
    CHECK(sums_of(of_small_core) == sums_of(whole));
    std::vector<std::uint32_t> weights(graph.edge_count());
    for (std::size_t e = 0; e < weights.size(); ++e) weights[e] = static_cast<std::uint32_t>(e * 7919 % 1000);
    tested.instance().update_weights(graph.with_weights(weights), nullptr);
    CHECK(sums_of(of_core) == sums_of(whole));
    CHECK(sums_of(of_small_core) == sums_of(whole));
    CHECK(tested.run_and_check("sources=9:seed=1").empty());
  }
}

TEST_CASE("the distances of targets are final, whatever else a search has left undone") {
  const graph::csr_graph graph = graph::generate_road(8);
  const std::vector<graph::vertex_id> sources = {0, 17, 17, 200};
  for (const auto& targets : {std::vector<graph::vertex_id>{5}, {249, 0, 249}, {200, 17}}) {
    for (const auto& [device, label] : device_and_label()) {
      CAPTURE(device, label, targets);
      multi_source_fixture tested(device, graph);
      tested.prepare(label);
      REQUIRE(tested.search({.sources = sources, .targets = targets}).result == db::outcome::ok);
      const auto distances = tested.instance().active_solver().target_distances();
      REQUIRE(distances.size() == sources.size() * targets.size());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto right = graph::dijkstra(graph, sources[i]);
        for (std::size_t t = 0; t < targets.size(); ++t) CHECK(distances[i * targets.size() + t] == right[targets[t]]);
      }
    }
  }
}

TEST_CASE("a target that has been reached is not settled yet") {
  // A long edge reaches the target immediately, a path of short edges later.
  const graph::csr_graph graph(std::vector<graph::edge_offset>{0, 2, 3, 4, 5, 5},
                               std::vector<graph::vertex_id>{4, 1, 2, 3, 4},
                               std::vector<std::uint32_t>{100, 10, 10, 10, 10});
  const std::vector<graph::vertex_id> sources = {0};
  const std::vector<graph::vertex_id> targets = {4};
  for (const auto& [device, label] : device_and_label()) {
    for (const char* const delta : {"0.2", "1", "8"}) {
      const std::string narrow = label.find("solver=block") == std::string::npos
                                     ? label
                                     : label.substr(0, label.find("delta=")) + "delta=" + delta;
      CAPTURE(device, narrow);
      multi_source_fixture tested(device, graph);
      tested.prepare(narrow);
      REQUIRE(tested.search({.sources = sources, .targets = targets}).result == db::outcome::ok);
      CHECK(tested.instance().active_solver().target_distances() == std::vector<graph::distance_bits>{40});
    }
  }
}

TEST_CASE("a search with a near target does less work than one without") {
  const graph::csr_graph graph = graph::generate_road(10);
  const std::vector<graph::vertex_id> sources = {500};
  const graph::vertex_id near = graph.targets()[graph.offsets()[500]];
  for (const auto& [device, label, times] :
       {std::tuple("simt", "solver=block,threads=32,blocks=1,near_items=32,delta=1", 20),
        {"simt", "solver=group,threads=64,blocks=1,parts=1", 5},
        {"cpu:1", "solver=cpu_dijkstra", 20}}) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph);
    tested.prepare(label);
    const auto pops = [&](const search_request& request) {
      const tuner::run_report report = tested.search(request);
      return std::ranges::find(report.counters, std::string("pops"), &std::pair<std::string, double>::first)->second;
    };
    const std::vector<graph::vertex_id> targets = {near};
    CHECK(times * pops({.sources = sources, .targets = targets}) < pops({.sources = sources}));
  }
}

TEST_CASE("queries of every kind are answered under several schedules") {
  std::uint64_t number = 0;
  for (const auto& [name, graph] : {std::pair("road", graph::generate_road(8)),
                                    {"rmat", graph::generate_rmat(8)},
                                    {"mesh", graph::generate_delaunay(256)}}) {
    for (const auto& [device, label] : device_and_label()) {
      if (!tests::in_share(number++)) continue;
      multi_source_fixture tested(device, graph);
      tested.prepare(label);
      for (const char* const query :
           {"sources=40:seed=3", "sources=5:seed=1:targets=3", "sources=33:seed=2:cutoff=3.5"}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          CAPTURE(name, device, label, query, seed);
          CHECK(tested.run_and_check(query, seed).empty());
        }
      }
    }
  }
}

TEST_CASE("piles that are full are made larger, or the outcome is an overflow with their sizes") {
  const graph::csr_graph graph = graph::generate_rmat(8);
  const char* const label = "solver=block,threads=32,blocks=1,near_items=32,delta=0.01";
  multi_source_fixture grows("simt", graph, problems::search_kind::sssp, {.first = 4});
  grows.prepare(label);
  CHECK(grows.run_and_check("sources=3:seed=1").empty());
  multi_source_fixture cannot("simt", graph, problems::search_kind::sssp, {.first = 4, .largest = 4});
  cannot.prepare(label);
  const tuner::run_report report = cannot.run("sources=3:seed=1");
  CHECK(report.result == db::outcome::overflow);
  CHECK_THAT(report.message, Catch::Contains("full at 4 near or 4 far"));
}

TEST_CASE("the content of one buffer outlasts a run with the other") {
  const graph::csr_graph graph = graph::generate_road(7);
  const std::vector<graph::vertex_id> first_sources = {3, 50, 7};
  const std::vector<graph::vertex_id> second_sources = {90, 4};
  const std::vector<graph::vertex_id> targets = {11, 60};
  const std::size_t n = graph.vertex_count();
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph);
    tested.prepare(label);
    solver& solved = [&]() -> solver& {
      REQUIRE(tested.search({.sources = first_sources, .keep = true, .buffer = 0}).result == db::outcome::ok);
      REQUIRE(tested.search({.sources = second_sources, .keep = true, .buffer = 1}).result == db::outcome::ok);
      return tested.instance().active_solver();
    }();
    std::vector<graph::distance_bits> distances(n);
    for (unsigned buffer = 0; buffer < 2; ++buffer) {
      const auto& sources = buffer == 0 ? first_sources : second_sources;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        solved.copy_rows(buffer, i, 1, distances.data());
        CHECK(distances == graph::dijkstra(graph, sources[i]));
      }
    }
    REQUIRE(tested.search({.sources = first_sources, .targets = targets, .buffer = 1}).result == db::outcome::ok);
    REQUIRE(tested.search({.sources = second_sources, .targets = targets, .buffer = 0}).result == db::outcome::ok);
    distances.resize(2);
    solved.copy_rows(1, 2, 1, distances.data());
    CHECK(distances[0] == graph::dijkstra(graph, first_sources[2])[targets[0]]);
    CHECK(distances[1] == graph::dijkstra(graph, first_sources[2])[targets[1]]);
  }
}
