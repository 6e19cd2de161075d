// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>

#include "base/random.hpp"
#include "graph/check.hpp"
#include "graph/classify.hpp"
#include "graph/delaunay.hpp"
#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/reference.hpp"
#include "tests/graph/support.hpp"

using mlmq::random_stream;
using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

namespace {

bool is_symmetric(const csr_graph& graph) {
  std::multiset<std::tuple<vertex_id, vertex_id, std::uint32_t>> open;
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    for (edge_offset i = graph.offsets()[u]; i < graph.offsets()[u + 1u]; ++i) {
      open.emplace(u, graph.targets()[i], graph.weight_bits()[i]);
    }
  }
  return std::all_of(open.begin(), open.end(), [&](const auto& edge) {
    const auto [u, v, weight] = edge;
    return u == v || open.count({u, v, weight}) == open.count({v, u, weight});
  });
}

std::size_t reached(const csr_graph& graph, vertex_id source) {
  const auto distance = dijkstra(graph, source);
  return distance.size() - static_cast<std::size_t>(std::count(distance.begin(), distance.end(), unreached));
}

bool rows_ascend(const csr_graph& graph) {
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    const auto row = graph.targets().subspan(graph.offsets()[u], graph.offsets()[u + 1u] - graph.offsets()[u]);
    if (!std::is_sorted(row.begin(), row.end())) return false;
  }
  return true;
}

__extension__ using wide = __int128;

/// Returns a positive number if d lies inside the circle through a, b, c (given counter-clockwise).
wide in_circle(grid_point a, grid_point b, grid_point c, grid_point d) {
  const auto row = [&](grid_point p) {
    const wide x = wide{p.x} - d.x;
    const wide y = wide{p.y} - d.y;
    return std::array<wide, 3>{x, y, x * x + y * y};
  };
  const auto p = row(a);
  const auto q = row(b);
  const auto r = row(c);
  return p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
}

std::int64_t turn(grid_point a, grid_point b, grid_point c) {
  return (std::int64_t{b.x} - a.x) * (std::int64_t{c.y} - a.y) - (std::int64_t{b.y} - a.y) * (std::int64_t{c.x} - a.x);
}

/// Returns the number of points on the boundary of the convex hull, including those inside its sides.
std::size_t hull_points(std::vector<grid_point> points) {
  const auto less = [](grid_point a, grid_point b) { return std::pair(a.x, a.y) < std::pair(b.x, b.y); };
  std::sort(points.begin(), points.end(), less);
  std::set<std::pair<int, int>> hull;
  for (int side = 0; side < 2; ++side) {
    std::vector<grid_point> chain;
    for (const grid_point p : points) {
      while (chain.size() > 1 && turn(chain[chain.size() - 2], chain.back(), p) < 0) {
        chain.pop_back();
      }
      chain.push_back(p);
    }
    for (const grid_point p : chain) hull.emplace(p.x, p.y);
    std::reverse(points.begin(), points.end());
  }
  return hull.size();
}

/// Checks a triangulation of points that are all different and not on one line: it has 3n - 3 - h edges, and each is
/// Delaunay, which means that some circle through its ends has no point inside.
void check_delaunay(const std::vector<grid_point>& points) {
  const auto edges = delaunay_edges(points);
  REQUIRE(edges.size() == 3 * points.size() - 3 - hull_points(points));
  for (const auto& [u, v] : edges) {
    REQUIRE(u < v);
    // The tightest witness on each side; the edge is Delaunay if they do not contradict each other.
    const grid_point a = points[u];
    const grid_point b = points[v];
    std::optional<grid_point> neighbour;
    std::optional<grid_point> right;
    for (const grid_point p : points) {
      const std::int64_t side = turn(a, b, p);
      if (side > 0 && (!neighbour || in_circle(a, b, *neighbour, p) > 0)) neighbour = p;
      if (side < 0 && (!right || in_circle(b, a, *right, p) > 0)) right = p;
    }
    if (neighbour && right) REQUIRE(in_circle(a, b, *neighbour, *right) <= 0);
  }
}

}  // namespace

TEST_CASE("generated graphs are the same everywhere") {
  const std::map<std::string, std::string> golden{
      {"road8", "24dfbb731b983e968cbfbbd082edabf0"},
      {"road9:seed=7", "d7c4d478a10f0569b999adfaab70af34"},
      {"del8", "511c284773061ca174b666831c3fab99"},
      {"del9:seed=7", "52ac0aa14c17fa959624dff859e71f1e"},
      {"rmat8", "d8625f56acafbe1d97bce5add5164375"},
      {"rmat7:edge_factor=3:seed=7", "8bdac95aaf20df9f037bc6b43845e74f"},
      {"power8", "e31180087922003bdc845f0caff50703"},
      {"power9:degree=6:exponent=2.5:seed=7", "e2ea12a2298fa3a29d7b36fd0e08902d"},
      {"grid7", "b7e8135c3557891494da9a198a448dbf"},
  };
  for (const auto& [name, hash] : golden) {
    INFO(name);
    CHECK(graph_hash(generate_named(name).graph) == hash);
    CHECK(graph_hash(generate_named(name).graph) == graph_hash(generate_named(name).graph));
  }
}

TEST_CASE("road graphs") {
  const generated_graph generated = generate_named("road12");
  const csr_graph& graph = generated.graph;
  const graph_features features = compute_features(graph);
  CHECK(generated.graph_class == "road");
  CHECK(graph_class(features) == "road");
  CHECK((graph.vertex_count() > 3900 && graph.vertex_count() <= 4096));
  CHECK(features.max_nnz == 4);
  CHECK(features.avg_nnz == Approx(2.9).margin(0.1));
  CHECK(features.max_weight <= 5000);
  CHECK(features.avg_weight == Approx(1150).margin(50));
  CHECK(is_symmetric(graph));
  CHECK(rows_ascend(graph));
  CHECK(reached(graph, generated.source) == graph.vertex_count());
  for (unsigned k = 2; k < 6; ++k) {
    const csr_graph tiny = generate_road(k, 3);
    CHECK(reached(tiny, 0) == tiny.vertex_count());
  }
}

TEST_CASE("Delaunay graphs") {
  const generated_graph generated = generate_named("del12:seed=4");
  const csr_graph& graph = generated.graph;
  const graph_features features = compute_features(graph);
  CHECK(generated.graph_class == "mesh");
  CHECK(graph_class(features) == "mesh");
  CHECK(graph.vertex_count() == 4096);
  CHECK((graph.edge_count() > 24300 && graph.edge_count() <= 6 * 4096 - 12));
  CHECK(is_symmetric(graph));
  CHECK(rows_ascend(graph));
  CHECK(reached(graph, 0) == 4096);
  CHECK(features.avg_weight == Approx(1190).margin(60));
  CHECK(generate_delaunay(1).edge_count() == 0);
  CHECK(generate_delaunay(2).edge_count() == 2);
  CHECK(generate_delaunay(3).edge_count() == 6);
}

TEST_CASE("Delaunay triangulation of random points") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    random_stream random({seed});
    std::vector<grid_point> points;
    std::set<std::pair<int, int>> used;
    // Small coordinates put many points on one line or circle, large ones few.
    const std::uint64_t range = seed % 2 == 0 ? 12 : 1u << 28;
    while (points.size() < 60) {
      const grid_point p{.x = static_cast<int>(random.below(range)), .y = static_cast<int>(random.below(range))};
      if (used.emplace(p.x, p.y).second) points.push_back(p);
    }
    check_delaunay(points);
  }
}

TEST_CASE("Delaunay triangulation of degenerate points") {
  using pairs = std::vector<std::pair<vertex_id, vertex_id>>;
  std::vector<grid_point> grid;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) grid.push_back({.x = 1000 * x, .y = 1000 * y});
  }
  check_delaunay(grid);
  // Twelve points on one circle, and its centre.
  std::vector<grid_point> circle;
  for (const auto& [x, y] : {std::pair(25, 0), std::pair(7, 24), std::pair(15, 20)}) {
    for (const int sx : {-1, 1}) {
      for (const int sy : {-1, 1}) {
        if (y == 0 && sy < 0) continue;
        circle.push_back({.x = sx * x, .y = sy * y});
      }
    }
  }
  check_delaunay(circle);
  circle.push_back({.x = 0, .y = 0});
  check_delaunay(circle);

  CHECK(delaunay_edges({}).empty());
  const std::vector<grid_point> line{{0, 0}, {9, 9}, {3, 3}, {6, 6}};
  CHECK(delaunay_edges(line) == pairs{{0, 2}, {1, 3}, {2, 3}});
  const std::vector<grid_point> repeated{{5, 5}, {5, 5}, {9, 5}, {5, 5}, {5, 9}};
  CHECK(delaunay_edges(repeated) == pairs{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {2, 4}});
  const std::vector<grid_point> one_place{{5, 5}, {5, 5}};
  CHECK(delaunay_edges(one_place) == pairs{{0, 1}});
}

TEST_CASE("R-MAT graphs") {
  const generated_graph generated = generate_named("rmat12");
  const graph_features features = compute_features(generated.graph);
  CHECK(generated.graph_class == "power_law");
  CHECK(graph_class(features) == "power_law");
  CHECK(generated.graph.vertex_count() == 4096);
  CHECK(generated.graph.edge_count() == 8 * 4096);
  CHECK(features.avg_weight == Approx(50.5).margin(1));
  CHECK(features.max_weight == 100);
  CHECK(rows_ascend(generated.graph));
  const auto offsets = generated.graph.offsets();
  CHECK(static_cast<double>(offsets[generated.source + 1u] - offsets[generated.source]) == features.max_nnz);
  // Three quarters of the edges leave vertices of the first half, and 0.57 of all lead back into it.
  CHECK(static_cast<double>(offsets[2048]) / (8.0 * 4096) == Approx(0.76).margin(0.01));
  CHECK(generate_rmat(3, 2, 1).edge_count() == 16);
}

TEST_CASE("power-law graphs") {
  const generated_graph generated = generate_named("power13:degree=12:exponent=2.3");
  const graph_features features = compute_features(generated.graph);
  CHECK(generated.graph_class == "power_law");
  CHECK(graph_class(features) == "power_law");
  CHECK(generated.graph.vertex_count() == 8192);
  CHECK((features.avg_nnz > 9.5 && features.avg_nnz < 12));
  CHECK(features.max_nnz > 500);
  CHECK(is_symmetric(generated.graph));
  CHECK(generate_power_law(2, 1, 3, 1).vertex_count() == 2);
}

TEST_CASE("small shapes") {
  CHECK(targets_of(generate_path(3, 7)) == target_list{1, 0, 2, 1});
  CHECK(weights_of(generate_path(3, 7)) == weight_list{7, 7, 7, 7});
  CHECK(targets_of(generate_cycle(3)) == target_list{1, 2, 0, 2, 0, 1});
  CHECK(targets_of(generate_cycle(2)) == target_list{1, 0});
  CHECK(targets_of(generate_star(4)) == target_list{1, 2, 3, 0, 0, 0});
  CHECK(targets_of(generate_complete(3)) == target_list{1, 2, 0, 2, 0, 1});
  CHECK(offsets_of(generate_grid2d(3, 2)) == offset_list{0, 2, 5, 7, 9, 12, 14});
  CHECK(targets_of(generate_grid2d(2, 2)) == target_list{1, 2, 0, 3, 0, 3, 1, 2});
  CHECK(generate_named("grid5").graph.vertex_count() == 25);
  CHECK(generate_named("path9").graph_class == "road");
  CHECK(generate_named("star99").graph_class == "power_law");
  CHECK(generate_named("complete1").graph.edge_count() == 0);
}

TEST_CASE("seeds and options change the graph, the name is kept") {
  const auto hash = [](const std::string& name) { return graph_hash(generate_named(name).graph); };
  CHECK(hash("road8") == hash("road8:seed=1"));
  CHECK(hash("road8") != hash("road8:seed=2"));
  CHECK(hash("del8") != hash("del8:seed=2"));
  CHECK(hash("rmat8") != hash("rmat8:seed=2"));
  CHECK(hash("rmat8") != hash("rmat8:edge_factor=4"));
  CHECK(hash("power8") != hash("power8:seed=2"));
  CHECK(generate_named("power8:seed=2").name == "power8:seed=2");
}

TEST_CASE("names and parameters that make no sense") {
  const auto error = [](const std::string& name) { return error_of([&] { return generate_named(name); }); };
  CHECK_THAT(error("raod18"),
             Contains("'raod18'") && Contains("road, del, rmat, power") && Contains("did you mean 'road'?"));
  CHECK_THAT(error(""), Contains("unknown kind of graph ''"));
  CHECK_THAT(error("road"), Contains("the size is missing"));
  CHECK_THAT(error("road99999999999"), Contains("size '99999999999' is not a number in range"));
  CHECK_THAT(error("road8x"), Contains("size '8x' is not a number"));
  CHECK_THAT(error("road1"), Contains("expected 2 to 30"));
  CHECK_THAT(error("del31"), Contains("expected 1 to 28"));
  CHECK_THAT(error("rmat0"), Contains("expected 1 to 30"));
  CHECK_THAT(error("rmat8:edge_factor=0"), Contains("edge factor 0"));
  CHECK_THAT(error("rmat8:degree=3"), Contains("unknown option 'degree' of 'rmat'"));
  CHECK_THAT(error("road8:sed=3"), Contains("did you mean 'seed'?"));
  CHECK_THAT(error("road8:seed"), Contains("expected 'seed=NUMBER'"));
  CHECK_THAT(error("road8:seed=-1"), Contains("seed '-1' is not a number in range"));
  CHECK_THAT(error("power8:exponent=2"), Contains("exponent 2, expected above 2"));
  CHECK_THAT(error("power8:exponent=nan"), Contains("expected above 2"));
  CHECK_THAT(error("power8:degree=0"), Contains("average degree 0"));
  CHECK_THAT(error("path0"), Contains("0 vertices"));
  CHECK_THAT(error("grid65536"), Contains("4294967296 vertices"));
}
