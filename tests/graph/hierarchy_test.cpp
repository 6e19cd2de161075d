// SPDX-License-Identifier: Apache-2.0
// Elimination hierarchies: the order, the tree and the arcs, and the lengths of paths that ascend and then descend.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/code_cache.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/random.hpp"
#include "base/temporary_folder.hpp"
#include "graph/builder.hpp"
#include "graph/distance_bound.hpp"
#include "graph/generate.hpp"
#include "graph/hierarchy/arc_bound.hpp"
#include "graph/hierarchy/customization.hpp"
#include "graph/hierarchy/dissection.hpp"
#include "graph/hierarchy/elimination.hpp"
#include "graph/hierarchy/kept_order.hpp"
#include "graph/hierarchy/separator.hpp"
#include "graph/undirected_rows.hpp"
#include "tests/support/bellman_ford.hpp"
#include "tests/support/environment.hpp"

namespace {

namespace fs = std::filesystem;
using namespace mlmq;
using graph::vertex_id;

/// A directed graph with self-loops, parallel edges, edges of length 0 and vertices without edges.
graph::csr_graph random_graph(vertex_id vertices, unsigned edges_per_vertex, std::uint64_t seed) {
  random_stream random({seed, vertices});
  std::vector<graph::edge_offset> offsets = {0};
  std::vector<vertex_id> targets;
  std::vector<std::uint32_t> weights;
  for (vertex_id v = 0; v < vertices; ++v) {
    for (std::uint64_t i = random.below(edges_per_vertex + 1); i > 0; --i) {
      targets.push_back(static_cast<vertex_id>(random.below(vertices)));
      weights.push_back(static_cast<std::uint32_t>(random.below(20)));
    }
    offsets.push_back(targets.size());
  }
  return {std::move(offsets), std::move(targets), std::move(weights)};
}

graph::elimination elimination_of(const graph::csr_graph& graph, thread_team& team) {
  return graph::eliminate(graph, graph::dissection_order(graph, team), 1'000'000, team);
}

/// Returns the distances from a source that a hierarchy must find.
template <class Lengths = graph::short_lengths>
std::vector<std::uint32_t> distances_from(const graph::csr_graph& graph, vertex_id source) {
  return tests::bellman_ford(graph, source, Lengths::no_path, Lengths::sum);
}

/// Returns the lengths of paths from a source that ascend and then descend, for all vertices of the graph.
template <class Lengths = graph::short_lengths>
std::vector<std::uint32_t> hierarchy_distances(const graph::search_hierarchy& hierarchy, vertex_id source) {
  const graph::elimination& tree = *hierarchy.tree;
  std::vector<std::uint32_t> by_position(tree.vertices(), Lengths::no_path);
  const auto ancestor_at = [&](std::uint32_t position, std::uint32_t depth) {
    while (tree.depth[position] > depth) position = tree.parent[position];
    return position;
  };
  by_position[tree.position_of[source]] = 0;
  for (std::uint32_t p = tree.vertices(); p-- > 0;) {
    for (const graph::ancestor_arc arc : hierarchy.upward.row(p)) {
      std::uint32_t& head = by_position[ancestor_at(p, arc.depth)];
      head = std::min(head, Lengths::sum(by_position[p], arc.weight));
    }
  }
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
    for (const graph::ancestor_arc arc : hierarchy.downward.row(p)) {
      const std::uint32_t length = Lengths::sum(by_position[ancestor_at(p, arc.depth)], arc.weight);
      by_position[p] = std::min(by_position[p], length);
    }
  }
  std::vector<std::uint32_t> distances(tree.vertices());
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) distances[tree.vertex_at[p]] = by_position[p];
  return distances;
}

}  // namespace

TEST_CASE("undirected rows have each neighbour once, in both directions") {
  const graph::csr_graph graph({0, 4, 5, 5}, {1, 1, 0, 2, 0}, std::vector<std::uint32_t>{1, 2, 3, 4, 5});
  thread_team team(2);
  const graph::undirected_rows rows = graph::to_undirected(graph, team);
  CHECK(rows.offsets == std::vector<std::size_t>{0, 2, 3, 4});
  CHECK(rows.targets == std::vector<vertex_id>{1, 2, 0, 0});
}

TEST_CASE("no edge joins the sides of a split graph, and the separator of a grid is near its width") {
  const graph::csr_graph grid = graph::generate_grid2d(60, 30);
  thread_team team(1);
  const graph::undirected_rows rows = graph::to_undirected(grid, team);
  graph::weighted_rows weighted{.offsets = rows.offsets,
                                .targets = rows.targets,
                                .edge_weights = std::vector<std::uint32_t>(rows.targets.size(), 1),
                                .vertex_weights = std::vector<std::uint64_t>(grid.vertex_count(), 1)};
  const std::vector<graph::split_place> places = graph::find_separator(weighted, 1);
  using enum graph::split_place;
  for (vertex_id v = 0; v < grid.vertex_count(); ++v) {
    for (const vertex_id other : rows.row(v)) {
      if (places[v] == first_side) CHECK(places[other] != second_side);
    }
  }
  CHECK(std::ranges::count(places, first_side) >= 630);
  CHECK(std::ranges::count(places, second_side) >= 630);
  CHECK(graph::separator_weight(weighted, places) <= 33);
  CHECK(graph::find_separator(weighted, 1) == places);
}

TEST_CASE("the order has each vertex once and does not depend on the number of threads") {
  for (const graph::csr_graph& graph :
       {graph::generate_road(12), graph::generate_delaunay(2000), random_graph(500, 4, 1), random_graph(1, 0, 1)}) {
    thread_team single(1);
    thread_team several(4);
    std::vector<vertex_id> order = graph::dissection_order(graph, single);
    CHECK(order == graph::dissection_order(graph, several));
    std::ranges::sort(order);
    std::vector<vertex_id> expected(graph.vertex_count());
    std::iota(expected.begin(), expected.end(), vertex_id{0});
    CHECK(order == expected);
  }
}

TEST_CASE("long dead ends and chains give shallow trees") {
  thread_team team(1);
  for (const std::uint32_t vertices : {1'000, 20'000}) {
    CAPTURE(vertices);
    CHECK(elimination_of(graph::generate_path(vertices), team).height() <= 4 + 2 * std::log2(vertices));
  }
}

TEST_CASE("a graph without vertices has an empty hierarchy") {
  thread_team team(1);
  const graph::csr_graph empty({0}, {}, std::vector<std::uint32_t>());
  CHECK(elimination_of(empty, team).vertices() == 0);
  CHECK(elimination_of(empty, team).height() == 0);
}

TEST_CASE("subtrees are contiguous, and neighbours of an eliminated vertex are adjacent ancestors") {
  thread_team team(2);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const graph::csr_graph graph = random_graph(60, 3, seed);
    const graph::elimination tree = elimination_of(graph, team);
    for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
      CHECK(tree.position_of[tree.vertex_at[p]] == p);
      const bool is_root = tree.parent[p] == p;
      CHECK(tree.depth[p] == (is_root ? 0 : tree.depth[tree.parent[p]] + 1));
      if (!is_root) {
        CHECK(tree.parent[p] < p);
        CHECK(p + tree.size[p] <= tree.parent[p] + tree.size[tree.parent[p]]);
      }
      const std::span<const std::uint32_t> upper = tree.upper_neighbours(p);
      CHECK(std::ranges::is_sorted(upper));
      CHECK(upper.empty() == is_root);
      if (!is_root) CHECK(upper.back() == tree.parent[p]);
      for (std::size_t i = 1; i < upper.size(); ++i) {
        CHECK(p < upper[i - 1] + tree.size[upper[i - 1]]);  // an ancestor
        for (std::size_t k = 0; k < i; ++k) CHECK(std::ranges::count(tree.upper_neighbours(upper[i]), upper[k]) == 1);
      }
    }
    for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
      for (graph::edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
        const auto [above, below] = std::minmax(tree.position_of[v], tree.position_of[graph.targets()[e]]);
        if (above != below) CHECK(std::ranges::count(tree.upper_neighbours(below), above) == 1);
      }
    }
  }
}

TEST_CASE("too many arcs are refused") {
  thread_team team(1);
  const graph::csr_graph graph = graph::generate_named("complete20").graph;
  const std::vector<vertex_id> order = graph::dissection_order(graph, team);
  CHECK(graph::eliminate(graph, order, 190, team).heads.size() == 190);
  CHECK_THROWS_AS(graph::eliminate(graph, order, 189, team), input_error);
}

TEST_CASE("the bound of arcs is the number that an elimination by degree needs, with the rest as a clique") {
  const auto bound_of = [](const std::string& name) { return graph::arc_bound(graph::generate_named(name).graph); };
  CHECK(graph::arc_bound(graph::csr_graph()) == 0);
  CHECK(bound_of("path1000") == Approx(0.999));
  CHECK(bound_of("star1000") == Approx(0.999));
  CHECK(bound_of("complete20") == Approx(19.0 / 2));
  // All vertices have more than 32 neighbours.
  CHECK(bound_of("complete60") == Approx(59.0 / 2));
  // The two vertices on both sides of the first one become adjacent, and so on: 2 + … + 2 + 1 + 0.
  CHECK(bound_of("cycle1000") == Approx((2 * 998 + 1) / 1000.0));
  CHECK(bound_of("road12") < 20);
  CHECK(bound_of("small12") > 100);
  const graph::csr_graph road = graph::generate_named("road10").graph;
  CHECK(graph::arc_bound(graph::with_unit_weights(road)) == graph::arc_bound(road));
  thread_team team(1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    // No vertex of so small a graph remains, so the bound is a number of arcs; none is less than the edges.
    const graph::csr_graph graph = random_graph(30, 1 + seed % 4, seed);
    const double edges = static_cast<double>(graph::to_undirected(graph, team).targets.size()) / 2;
    CHECK(30 * graph::arc_bound(graph) > edges - 1e-9);
    CHECK(graph::arc_bound(graph) <= 29.0 / 2);
  }
}

TEST_CASE("shortest paths ascend and then descend, with no more arcs than are needed") {
  thread_team team(2);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const graph::csr_graph graph = random_graph(static_cast<vertex_id>(1 + seed % 40), 1 + seed % 4, seed);
    const auto tree = std::make_shared<const graph::elimination>(elimination_of(graph, team));
    const graph::search_hierarchy hierarchy = graph::customize(tree, graph, false, team);
    for (vertex_id v = 0; v < graph.vertex_count(); ++v)
      REQUIRE(hierarchy_distances(hierarchy, v) == distances_from(graph, v));
  }
}

TEST_CASE("lengths that exceed 32 bits saturate, and vertices without a path remain unreached") {
  thread_team team(2);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const graph::csr_graph small = random_graph(static_cast<vertex_id>(1 + seed % 40), 1 + seed % 4, seed);
    std::vector<std::uint32_t> weights(small.weight_bits().begin(), small.weight_bits().end());
    for (std::uint32_t& weight : weights) weight = weight < 5 ? weight : weight * 0x0D00'0000U - 7;
    const graph::csr_graph graph({small.offsets().begin(), small.offsets().end()},
                                 {small.targets().begin(), small.targets().end()}, std::move(weights));
    const auto tree = std::make_shared<const graph::elimination>(elimination_of(graph, team));
    const graph::search_hierarchy hierarchy = graph::customize(tree, graph, true, team);
    for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
      REQUIRE(hierarchy_distances<graph::long_lengths>(hierarchy, v) == distances_from<graph::long_lengths>(graph, v));
    }
  }
}

TEST_CASE("the weights of a larger graph in parallel") {
  thread_team team(4);
  const graph::csr_graph graph = graph::generate_road(14);
  const auto tree = std::make_shared<const graph::elimination>(elimination_of(graph, team));
  REQUIRE(tree->size[0] > 8'192);  // more than one small subtree, and vertices above them
  const graph::search_hierarchy hierarchy = graph::customize(tree, graph, false, team);
  CHECK(hierarchy.downward.arcs.size() < tree->heads.size());
  for (const vertex_id source : {0U, 7000U})
    CHECK(hierarchy_distances(hierarchy, source) == distances_from(graph, source));
}

TEST_CASE("arcs of equal length are replaced by ascending paths") {
  // Path 1 - 0 - 2 with all lengths 1, and an edge 1 - 2 of length 2 that the path through 0 does not need.
  const graph::csr_graph graph({0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}, std::vector<std::uint32_t>{1, 1, 1, 2, 1, 2});
  thread_team team(1);
  const auto tree =
      std::make_shared<const graph::elimination>(graph::eliminate(graph, std::vector<vertex_id>{1, 0, 2}, 3, team));
  const graph::search_hierarchy hierarchy = graph::customize(tree, graph, false, team);
  CHECK(tree->heads.size() == 3);
  CHECK(hierarchy.upward.arcs.size() == 2);
  CHECK(hierarchy.downward.arcs.size() == 2);
}

TEST_CASE("bounds of distances by the sum of the heaviest edges, and by numbers of edges") {
  const graph::csr_graph path({0, 1, 2, 2}, {1, 2}, std::vector<std::uint32_t>{5, 7});
  CHECK(graph::distance_bound().find(path, 14) == 14);  // two edges of 7
  CHECK(graph::distance_bound().find(path, 12) == 12);  // the sum
  CHECK(graph::hop_bound(path) == 2);
  const graph::csr_graph star = graph::generate_named("star40").graph;
  CHECK(graph::hop_bound(star) <= 4);
  CHECK(graph::distance_bound().find(star, 0) <= std::uint64_t{4} * *std::ranges::max_element(star.weight_bits()));
}

TEST_CASE("no vertex is farther from another one than the bounds") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const graph::csr_graph graph = random_graph(static_cast<vertex_id>(1 + seed % 30), seed % 2 == 0 ? 1 : 3, seed);
    const graph::csr_graph by_edges = graph::with_unit_weights(graph);
    const std::uint64_t hops = graph::hop_bound(graph);
    const std::uint64_t bound = graph::distance_bound().find(graph, 0);
    for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
      for (const std::uint32_t distance : distances_from(by_edges, v))
        CHECK((distance == graph::short_lengths::no_path || distance <= hops));
      for (const std::uint32_t distance : distances_from(graph, v))
        CHECK((distance == graph::short_lengths::no_path || distance <= bound));
    }
  }
}

TEST_CASE("an order is kept and read again, and a damaged one is replaced") {
  const temporary_folder place("test");
  const tests::environment variable("MLMQ_CACHE", place.path().c_str());
  thread_team team(2);
  const graph::csr_graph graph = graph::generate_road(16);
  const std::vector<vertex_id> expected = graph::dissection_order(graph, team);
  CHECK_FALSE(graph::has_kept_order(graph));
  CHECK(graph::kept_dissection_order(graph, team) == expected);
  CHECK(graph::has_kept_order(graph));
  CHECK(graph::has_kept_order(graph::with_unit_weights(graph)));
  CHECK_FALSE(graph::has_kept_order(graph::generate_road(17)));
  fs::path file;
  for (const auto& entry : fs::directory_iterator(place.path() / "orders")) {
    if (entry.path().extension() == ".order") file = entry.path();
  }
  REQUIRE_FALSE(file.empty());
  const std::string whole = read_file(file);
  const std::string key = file.stem().string();
  // A valid file with another order shows that the file is read.
  std::string bytes = *unseal_code(key, whole);
  for (std::size_t i = 0; i < 4; ++i) std::swap(bytes[i], bytes[4 + i]);
  std::ofstream(file, std::ios::binary) << seal_code(key, bytes);
  std::vector<vertex_id> swapped = expected;
  std::swap(swapped[0], swapped[1]);
  CHECK(graph::kept_dissection_order(graph, team) == swapped);
  // An order with the same vertex twice is not used.
  std::copy_n(bytes.begin(), 4, bytes.begin() + 4);
  std::ofstream(file, std::ios::binary) << seal_code(key, bytes);
  CHECK(graph::kept_dissection_order(graph, team) == expected);
  std::ofstream(file, std::ios::binary) << whole.substr(0, whole.size() / 2);
  CHECK_FALSE(graph::has_kept_order(graph));
  CHECK(graph::kept_dissection_order(graph, team) == expected);
  CHECK(read_file(file) == whole);
}
