// SPDX-License-Identifier: Apache-2.0
// Searches of an elimination hierarchy: against brute force on tiny graphs, on larger ones, and graphs that do not
// suit.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "base/thread_team.hpp"
#include "graph/check.hpp"
#include "graph/generate.hpp"
#include "graph/hierarchy/dissection.hpp"
#include "graph/hierarchy/elimination.hpp"
#include "problems/multi_source/hierarchy_pieces.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "problems/multi_source/supernodes.hpp"
#include "tests/multi_source/batch_test.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;

namespace {

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
  std::size_t saturated = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    if (!tests::in_share(seed)) continue;
    const oracle::tiny_graph tiny = oracle::random_tiny_graph(seed);
    const graph::csr_graph graph = tiny.csr();
    const problems::search_kind kind = seed % 3 == 0 ? problems::search_kind::bfs : problems::search_kind::sssp;
    if (kind == problems::search_kind::sssp && graph.weights() != graph::weight_type::uint32) continue;
    ++tried;
    saturated += graph::has_saturated(graph.weights(), oracle::brute_force(tiny, 0, false)) ? 1 : 0;
    const auto [device, label] = hierarchy_device_and_label()[seed % hierarchy_device_and_label().size()];
    CAPTURE(seed, device, label, tiny.text());
    // Every vertex is a source twice: more than one group of searches.
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
  CHECK(tried > 50);
  CHECK(saturated > 5);
}

TEST_CASE("answers and distances of larger graphs by a hierarchy") {
  for (const auto& [device, label] : tests::share_of(hierarchy_device_and_label())) {
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

TEST_CASE("vertices of one level of an elimination have the same upper neighbours, except for each other") {
  for (const char* name : {"road9", "del8", "rmat6", "path300", "star40", "grid20"}) {
    CAPTURE(name);
    const graph::csr_graph graph = graph::generate_named(name).graph;
    thread_team team(2);
    const graph::elimination tree =
        graph::eliminate(graph, graph::dissection_order(graph, team), 100 * graph.vertex_count(), team);
    const supernode_levels supernodes = find_supernodes(tree);
    REQUIRE(supernodes.bounds.size() == 2 * supernodes.levels() + 1);
    CHECK(supernodes.bounds.back() == tree.vertices());
    std::vector<std::uint32_t> level(tree.vertices(), supernodes.levels());
    for (std::uint32_t l = 0; l < supernodes.levels(); ++l) {
      REQUIRE(supernodes.bounds[2 * l] < supernodes.bounds[2 * l + 2]);
      for (std::uint32_t i = supernodes.bounds[2 * l]; i < supernodes.bounds[2 * l + 2]; ++i) {
        const std::uint32_t p = supernodes.position_of[i];
        REQUIRE(level[p] == supernodes.levels());  // each vertex once
        level[p] = l;
        CHECK(supernodes.number_at[p] == i);
        CHECK((supernodes.vertices[i].arcs > narrow_arcs) == (i < supernodes.bounds[2 * l + 1]));
      }
    }
    for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
      const supernode_vertex& vertex = supernodes.vertices[supernodes.number_at[p]];
      const auto neighbours = tree.upper_neighbours(p);
      REQUIRE(vertex.arcs == neighbours.size());
      REQUIRE(vertex.first_arc == tree.first_arc[p]);
      const std::size_t others = vertex.arcs - vertex.same_level;
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        CHECK(supernodes.heads[vertex.first_arc + i] == supernodes.number_at[neighbours[i]]);
        CHECK(level[neighbours[i]] <= level[p]);
        if (i >= others) CHECK(tree.depth[neighbours[i]] + (neighbours.size() - i) == tree.depth[p]);
        CHECK((level[neighbours[i]] == level[p]) == (i >= others));
        if (i < others) continue;
        CHECK(std::ranges::equal(tree.upper_neighbours(neighbours[i]), neighbours.first(i)));
      }
      const auto number_of = [&](std::uint32_t position) { return supernodes.number_at[position]; };
      CHECK(vertex.next == (others == 0 ? no_vertex : number_of(neighbours[others - 1])));
      if (vertex.same_level == 0) CHECK(vertex.next == (tree.parent[p] == p ? no_vertex : number_of(tree.parent[p])));
    }
    CHECK(supernodes.levels() < tree.height());
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

TEST_CASE("a run by a hierarchy that takes too long is a timeout, and the next one is right") {
  for (const auto& [device, label] : hierarchy_device_and_label()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph::generate_road(9));
    tested.prepare(label);
    CHECK(tested.run("sources=64:seed=1", 1, 0.001).result == db::outcome::timeout);
    CHECK_FALSE(tested.instance().check().empty());
    CHECK(tested.run_and_check("sources=2:seed=1").empty());
  }
}

TEST_CASE("a hierarchy of a graph without edges") {
  const graph::csr_graph graph(std::vector<graph::edge_offset>{0, 0, 0}, std::vector<graph::vertex_id>{},
                               std::vector<std::uint32_t>{});
  for (const auto& [device, label] : hierarchy_device_and_label()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph);
    tested.prepare(label);
    CHECK(tested.run_and_check("sources=all:seed=1").empty());
  }
}

TEST_CASE("a hierarchy searches several batches one after the other") {
  const graph::csr_graph graph = graph::generate_road(8);
  std::vector<graph::vertex_id> sources(300);
  for (std::size_t i = 0; i < sources.size(); ++i)
    sources[i] = static_cast<graph::vertex_id>(i * 17 % graph.vertex_count());
  multi_source_fixture tested("simt", graph);
  tested.prepare("solver=hierarchy,threads=64,blocks=1,lane_searches=2,slots=16,piece_vertices=64");
  solver& solved = tested.instance().active_solver();
  REQUIRE(tested.search({.sources = sources}).result == db::outcome::ok);
  const std::vector<multi_source_answer> together = solved.answers();
  REQUIRE(tested.search({.sources = sources, .keep = true, .batch_searches = 100}).result == db::outcome::ok);
  const std::vector<multi_source_answer> in_batches = solved.answers();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CHECK(in_batches[i].digest == together[i].digest);
    CHECK(in_batches[i].digest == answer_of(solved.distances(i, 1)).digest);
  }
}

TEST_CASE("a hierarchy searches upwards along paths that are longer than shared memory") {
  const graph::csr_graph graph = graph::generate_named("grid40").graph;
  thread_team team(2);
  const graph::elimination tree =
      graph::eliminate(graph, graph::dissection_order(graph, team), 100 * graph.vertex_count(), team);
  constexpr std::uint32_t slots = 2;
  REQUIRE(tree.height() > slots * group_columns(1));
  multi_source_fixture tested("simt", graph);
  tested.prepare("solver=hierarchy,threads=64,blocks=1,lane_searches=1,slots=2,piece_vertices=16");
  CHECK(tested.run_and_check("seed=1:sources=33").empty());
  CHECK(tested.run_and_check("seed=2:sources=2:targets=40").empty());
}

TEST_CASE("slots that do not fit into shared memory are refused") {
  multi_source_fixture tested("simt", graph::generate_road(6));
  CHECK_THROWS_WITH(tested.prepare("solver=hierarchy,threads=1024,blocks=1,lane_searches=4,slots=1024"),
                    Catch::Contains("of shared memory"));
  CHECK_THROWS_WITH(tested.prepare("solver=hierarchy,lane_searches=3"), Catch::Contains("1, 2, 4 or 8 searches"));
  CHECK_THROWS_WITH(tested.prepare("solver=hierarchy,lane_searches=0"), Catch::Contains("1 to 8"));
}

TEST_CASE("pieces have connected vertices that fit, parents first, and the order has each once") {
  thread_team team(1);
  const graph::csr_graph graph = graph::generate_road(10);
  const graph::elimination tree = graph::eliminate(graph, graph::dissection_order(graph, team), 1'000'000, team);
  for (const piece_limits limits : {piece_limits{1, 2}, piece_limits{30, 12}, piece_limits{200, 64}}) {
    for (const bool stores_all : {false, true}) {
      const hierarchy_pieces cut = cut_into_pieces(tree, limits, stores_all);
      std::uint32_t vertices = 0;
      std::vector<std::uint32_t> arcs;
      for (std::uint32_t i = 0; i < cut.pieces.size(); ++i) {
        const sweep_piece& piece = cut.pieces[i];
        vertices += piece.vertices;
        CHECK(piece.vertices <= limits.vertices);
        CHECK(piece.boundary_rows < limits.slots);
        CHECK((piece.parent == no_piece || piece.parent < i));
        const hierarchy_item* item = cut.items.data() + piece.first_item;
        for (std::uint32_t v = 0; v < piece.vertices; ++v) {
          const std::uint32_t count = (item->key & 0xFFFF) + (item->key >> 16);
          item += 3;
          for (const hierarchy_item* const end = item + count; item < end; ++item) arcs.push_back(item->value);
        }
      }
      std::ranges::sort(arcs);
      CHECK(arcs.size() == tree.heads.size());
      for (std::uint32_t a = 0; a < arcs.size(); ++a) CHECK(arcs[a] == a);
      CHECK(vertices == graph.vertex_count());
      CHECK((cut.row_count == graph.vertex_count()) == stores_all);
      std::vector<std::uint32_t> ordered;
      for (const std::uint32_t entry : cut.order) ordered.push_back(entry & ~is_next_round);
      std::ranges::sort(ordered);
      for (std::uint32_t i = 0; i < ordered.size(); ++i) CHECK(ordered[i] == i);
      CHECK(ordered.size() == cut.pieces.size());
    }
  }
}
