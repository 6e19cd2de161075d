// SPDX-License-Identifier: Apache-2.0
// Lattices, small worlds, circuits, R-MAT graphs of other shapes, and properties of all kinds: the same graphs
// everywhere, expected sizes, options that make no sense.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "tests/graph/generated.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

namespace {

/// Returns the coordinates of vertex v in a box with these sides.
std::array<int, 3> place(vertex_id v, const std::array<int, 3>& side) {
  const int number = static_cast<int>(v);
  return {number % side[0], number / side[0] % side[1], number / side[0] / side[1]};
}

/// Checks a lattice against its definition by looking at every pair of points.
void check_lattice(const csr_graph& graph, const std::array<int, 3>& side, bool diagonals, bool torus) {
  const int count = side[0] * side[1] * side[2];
  REQUIRE(graph.vertex_count() == static_cast<vertex_id>(count));
  std::map<std::pair<vertex_id, vertex_id>, std::uint32_t> expected;
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
      int axes = 0;
      bool near = u != v;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        int apart = std::abs(place(u, side)[axis] - place(v, side)[axis]);
        if (torus) apart = std::min(apart, side[axis] - apart);
        near = near && apart <= 1;
        axes += apart;
      }
      if (near && (axes == 1 || diagonals)) {
        expected[{u, v}] = static_cast<std::uint32_t>(std::lround(1000 * std::sqrt(axes)));
      }
    }
  }
  REQUIRE(graph.edge_count() == expected.size());
  for (const edge& e : edges_of(graph)) REQUIRE(expected.at({e.source, e.target}) == e.weight);
}

}  // namespace

TEST_CASE("the newer kinds of generated graphs are the same everywhere") {
  const std::map<std::string, std::string> golden{
      {"lattice8", "54d8d62285ee91e2f4101e496f3acea2"},
      {"lattice9:dims=3:diagonals=1:torus=1:seed=7:weights=length", "dda74ee47dd9ce8118b030c19fc13ed8"},
      {"small8", "e865a6652a5f9a5eb0dbbfb3891ed870"},
      {"small9:neighbours=4:rewired=0.3:seed=7:weights=length", "15a94b4b4ea5873e664b01eb8e8428f8"},
      {"circuit8", "4e4887f5720a07fd44bcb7d5fb0ee681"},
      {"circuit9:rent=0.8:fanout=3.5:hubs=1:seed=7:weights=length", "87ea1b3c874f9f5864641c4a2ed9ed1c"},
      {"rmat8:a=0.45:b=0.22:c=0.22:undirected=1", "6d41f157251ebc9d6aea1cc46ef6bdeb"},
      {"lattice6:unknowns=3:diagonals=1:weights=length", "943dbc5cb6678566ebe28468c9f97752"},
      {"logic8", "6b5ea6d50aa37f3c0f47479b7d36d366"},
      {"logic9:fanin=4:window=20:far=0.2:undirected=1:seed=7", "03b58f6b62e61576f1d1007b6ceebab5"},
      {"community8", "79c7bd87528a2f07507a31ce791cb429"},
      {"community9:degree=5:largest=30:mixing=0.5:seed=7", "a5ae27718dcd60aed375409f24672dfd"},
      {"web8", "03baab3eeb58a56b0d718fd8f0be838e"},
      {"web9:degree=5.5:copied=0.8:remote=0.3:undirected=1:seed=7", "51d04696d96c17d61be88ceebef7834b"},
      {"road8:weights=length", "a7ccb273cc86394da2de9f419358d0a5"},
      {"power8:weights=skewed", "fb405a6afd627abb8c413ebf8f93c617"},
      {"del8:weights=pareto:weight_seed=5:shuffle=1", "df74e9f7c56e67777a2091c6e687480e"},
  };
  for (const auto& [name, hash] : golden) {
    INFO(name);
    CHECK(graph_hash(graph_named(name)) == hash);
  }
}

TEST_CASE("lattices have the edges of their definition") {
  for (const bool diagonals : {false, true}) {
    for (const bool torus : {false, true}) {
      INFO("diagonals " << diagonals << ", torus " << torus);
      const std::string options =
          std::string(":weights=length") + (diagonals ? ":diagonals=1" : "") + (torus ? ":torus=1" : "");
      check_lattice(graph_named("lattice7" + options), {16, 8, 1}, diagonals, torus);
      check_lattice(graph_named("lattice8:dims=3" + options), {8, 8, 4}, diagonals, torus);
      // So narrow that opposite neighbours are the same vertex.
      check_lattice(graph_named("lattice1" + options), {2, 1, 1}, diagonals, torus);
      check_lattice(graph_named("lattice4:dims=3" + options), {4, 2, 2}, diagonals, torus);
    }
  }
}

TEST_CASE("a lattice on a torus is regular") {
  for (const auto& [name, degree] : std::map<std::string, double>{{"lattice10:torus=1", 4},
                                                                  {"lattice10:torus=1:diagonals=1", 8},
                                                                  {"lattice10:torus=1:dims=3", 6},
                                                                  {"lattice10:torus=1:dims=3:diagonals=1", 26}}) {
    INFO(name);
    const graph_features features = compute_features(graph_named(name));
    CHECK(features.m == 1024);
    CHECK(features.avg_nnz == degree);
    CHECK(features.dev_nnz == 0);
    CHECK(features.max_weight == 100);
  }
}

TEST_CASE("several unknowns of a point are joined with each other and with all of the neighbouring points") {
  const csr_graph points = graph_named("lattice6:diagonals=1:weights=length");
  const csr_graph graph = graph_named("lattice6:diagonals=1:unknowns=3:weights=length");
  REQUIRE(graph.vertex_count() == 3 * 64);
  std::map<std::pair<vertex_id, vertex_id>, std::uint32_t> expected;
  for (vertex_id i = 0; i < 3; ++i) {
    for (vertex_id j = 0; j < 3; ++j) {
      for (const edge& e : edges_of(points)) expected[{3 * e.source + i, 3 * e.target + j}] = e.weight;
      for (vertex_id p = 0; p < 64 && i != j; ++p) expected[{3 * p + i, 3 * p + j}] = 1;
    }
  }
  REQUIRE(graph.edge_count() == expected.size());
  for (const edge& e : edges_of(graph)) REQUIRE(expected.at({e.source, e.target}) == e.weight);

  const graph_features features = compute_features(graph_named("lattice9:dims=3:diagonals=1:torus=1:unknowns=3"));
  CHECK(features.m == 3 * 512);
  CHECK(features.avg_nnz == 80);
  CHECK(features.dev_nnz == 0);
  CHECK(graph_hash(graph_named("lattice8:unknowns=1")) == graph_hash(graph_named("lattice8")));
  check_simple_and_symmetric(graph_named("lattice5:unknowns=8"));
}

TEST_CASE("a small world without rewiring is the ring") {
  const csr_graph ring = graph_named("small6:neighbours=6:rewired=0:weights=length");
  check_simple_and_symmetric(ring);
  std::size_t count = 0;
  for (const edge& e : edges_of(ring)) {
    const int ahead = std::abs(static_cast<int>(e.source) - static_cast<int>(e.target));
    CHECK(e.weight == static_cast<std::uint32_t>(std::min(ahead, 64 - ahead)));
    CHECK(e.weight <= 3);
    ++count;
  }
  CHECK(count == 64 * 6);
}

TEST_CASE("a small world has the requested share of long edges, and is small") {
  for (const double share : {0.05, 0.5, 1.0}) {
    INFO(share);
    const csr_graph graph = generate_small_world(1 << 12, 8, share, 3, true);
    check_simple_and_symmetric(graph);
    std::size_t far = 0;
    for (const std::uint32_t length : graph.weight_bits()) far += length > 4 ? 1 : 0;
    // 8 in 4095 of the moved ends stay near by chance.
    CHECK(static_cast<double>(far) / static_cast<double>(graph.edge_count()) == Approx(share).margin(0.02));
    CHECK(compute_features(graph).avg_nnz == Approx(8).epsilon(0.01));
    CHECK(reached_share(graph, 0) == 1);
  }
  const auto hops = [](const std::string& name) {
    const csr_graph graph = graph_named(name + ":weights=unit");
    const auto distance = dijkstra(graph, 0);
    return *std::max_element(distance.begin(), distance.end());
  };
  CHECK(hops("small12:rewired=0") == 512);
  CHECK(hops("small12:rewired=0.05") < 20);
}

TEST_CASE("circuits: the wires that leave a block follow Rent's rule") {
  for (const double rent : {0.4, 0.65, 0.85}) {
    INFO(rent);
    // Without hubs nearly every gate is in the largest part, so that numbering hardly moves; blocks in the middle are
    // used.
    const csr_graph graph = generate_circuit(14, {.rent = rent, .fanout = 3, .hubs = 0}, 5);
    CHECK(graph.vertex_count() > 0.95 * (1 << 14));
    std::array<double, 2> leaving{};  // wires that leave blocks of 2^5 and 2^9 gates, per block
    for (const edge& e : edges_of(graph)) {
      if (e.source >> 5 != e.target >> 5) leaving[0] += 1.0 / (1 << 9);
      if (e.source >> 9 != e.target >> 9) leaving[1] += 1.0 / (1 << 5);
    }
    CHECK(std::log2(leaving[1] / leaving[0]) / 4 == Approx(rent).margin(0.08));
  }
}

TEST_CASE("circuits: fan-out, hubs, connection and lengths") {
  const csr_graph graph = graph_named("circuit14:fanout=4:hubs=2");
  check_simple_and_symmetric(graph);
  CHECK(reached_share(graph, 0) == 1);
  const graph_features features = compute_features(graph);
  // Counts driven and driving gates, and 1/16 + 1/64 of the gates by hubs; pairs that came twice are missing.
  CHECK(features.avg_nnz == Approx(8).epsilon(0.2));
  CHECK(features.max_nnz == Approx(16384 / 16).epsilon(0.1));
  std::vector<edge_offset> degrees;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    degrees.push_back(graph.offsets()[v + 1u] - graph.offsets()[v]);
  }
  std::sort(degrees.rbegin(), degrees.rend());
  CHECK(static_cast<double>(degrees[1]) == Approx(16384 / 64).epsilon(0.15));
  CHECK(degrees[2] < 100);
  CHECK(compute_features(graph_named("circuit14:hubs=0")).max_nnz < 100);
  const csr_graph lengths = graph_named("circuit14:hubs=0:weights=length");
  CHECK(targets_of(lengths) == targets_of(graph_named("circuit14:hubs=0")));
  // The gates form a square of 128 x 128: most wires lead to adjacent gates, some across the square.
  CHECK(weight_quantile(lengths, 0.5) <= 4);
  CHECK(weight_quantile(lengths, 1) > 60);
  CHECK(weight_quantile(lengths, 1) <= 2 * 127);
  CHECK(weight_quantile(lengths, 0) == 1);
}

TEST_CASE("the smallest graphs of kinds with many options") {
  for (const std::string name :
       {"logic1", "logic2:fanin=8", "logic4:far=1:fanin=8", "web1:degree=1", "web2:degree=3", "web5:copied=1",
        "community2:degree=3", "community3:degree=2:mixing=1", "lattice1:unknowns=8"}) {
    INFO(name);
    const csr_graph graph = graph_named(name);
    CHECK(graph.vertex_count() >= 1);
    for (const vertex_id v : graph.targets()) REQUIRE(v < graph.vertex_count());
  }
}

TEST_CASE("R-MAT quadrants have the requested shares") {
  const csr_graph graph = graph_named("rmat12:a=0.4:b=0.3:c=0.2:edge_factor=16");
  std::array<double, 4> quadrant{};
  for (const edge& e : edges_of(graph)) quadrant.at((e.source >> 11) * 2 + (e.target >> 11)) += 1.0 / 65536;
  CHECK(quadrant[0] == Approx(0.4).margin(0.01));
  CHECK(quadrant[1] == Approx(0.3).margin(0.01));
  CHECK(quadrant[2] == Approx(0.2).margin(0.01));
  CHECK(quadrant[3] == Approx(0.1).margin(0.01));
  // Equal quadrants: a random graph without hubs.
  CHECK(compute_features(graph_named("rmat12:a=0.25:b=0.25:c=0.25")).max_nnz < 30);
  CHECK(graph_hash(graph_named("rmat8:a=0.57:b=0.19:c=0.19")) == graph_hash(graph_named("rmat8")));
}

TEST_CASE("an undirected R-MAT graph has every edge both ways") {
  std::multiset<std::tuple<vertex_id, vertex_id, std::uint32_t>> open;
  for (const edge& e : edges_of(graph_named("rmat8:undirected=1"))) open.emplace(e.source, e.target, e.weight);
  for (const auto& [u, v, weight] : open) {
    if (u != v) REQUIRE(open.count({u, v, weight}) == open.count({v, u, weight}));
  }
  CHECK(open.size() > 3900);  // 2 x 2048, less the self-loops
}

TEST_CASE("power laws have the requested exponent") {
  for (const double exponent : {2.1, 2.5, 3.0}) {
    INFO(exponent);
    const csr_graph graph = generate_power_law(1 << 16, 8, exponent);
    // The numbers of vertices with degrees of at least 16 and 64 differ by a factor of 4^(1 - exponent).
    std::array<double, 2> more{};
    for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
      const edge_offset degree = graph.offsets()[v + 1u] - graph.offsets()[v];
      more[0] += degree >= 16 ? 1 : 0;
      more[1] += degree >= 64 ? 1 : 0;
    }
    CHECK(1 - std::log2(more[1] / more[0]) / 2 == Approx(exponent).margin(0.25));
  }
}

TEST_CASE("expected sizes are those of the graphs") {
  for (const std::string name :
       {"road12", "del12", "rmat10:edge_factor=4", "rmat10:undirected=1", "power12:degree=6", "lattice12:dims=3",
        "lattice12:diagonals=1", "small10:neighbours=6", "circuit12:fanout=3", "logic12:fanin=3",
        "logic12:undirected=1", "community14:degree=9", "web14:degree=6", "web14:undirected=1",
        "lattice10:unknowns=3:diagonals=1", "grid30", "path50", "star40"}) {
    INFO(name);
    const generated_size expected = expected_size(name);
    const generated_graph graph = generate_named(name);
    CHECK(expected.vertices >= graph.graph.vertex_count());
    CHECK(static_cast<double>(expected.vertices) == Approx(graph.graph.vertex_count()).epsilon(0.05));
    CHECK(static_cast<double>(expected.edges) == Approx(static_cast<double>(graph.graph.edge_count())).epsilon(0.2));
    const bool by_features = name == "path50" || name == "star40" || name.find("logic") == 0 || name.find("comm") == 0;
    if (!by_features) CHECK(expected.graph_class == graph.graph_class);
  }
  CHECK_THAT(error_of([] { return expected_size("road31"); }), Contains("is 31, expected 2 to 30"));
  CHECK_THAT(error_of([] { return expected_size("grid70000"); }), Contains("out of range"));
  // More edges than any integer can count: this was undefined behaviour once (scripts/test --preset asan).
  CHECK(expected_size("circuit5:fanout=99999999999999999999").edges == 1'000'000'000'000'000'000);
  CHECK_THAT(error_of([] { return expected_size("lattice30:unknowns=4"); }), Contains("out of range"));
  CHECK_THAT(error_of([] { return expected_size("web4:degree=16"); }), Contains("out of range"));
  CHECK_THAT(error_of([] { return expected_size("logic31"); }), Contains("is 31, expected 1 to 30"));
  CHECK(expected_size("lattice18:dims=3:diagonals=1:unknowns=3").vertices == 3 << 18);
}

TEST_CASE("invalid options are refused with the reason") {
  const auto error = [](const std::string& name) { return error_of([&] { return generate_named(name); }); };
  CHECK_THAT(error("lattice8:dims=4"), Contains("4 dimensions, expected 2 or 3"));
  CHECK_THAT(error("lattice0"), Contains("expected 1 to 30"));
  CHECK_THAT(error("lattice8:torus=yes"), Contains("torus 'yes', expected 0 or 1"));
  CHECK_THAT(error("small8:neighbours=3"), Contains("3 neighbours, expected an even number"));
  CHECK_THAT(error("small2:neighbours=4"), Contains("4 vertices, expected more than the 4 neighbours"));
  CHECK_THAT(error("small8:rewired=1.5"), Contains("1.5 rewired, expected 0 to 1"));
  CHECK_THAT(error("small8:rewired=nan"), Contains("expected 0 to 1"));
  CHECK_THAT(error("circuit8:rent=1"), Contains("Rent exponent 1, expected between 0 and 1"));
  CHECK_THAT(error("circuit8:fanout=0.5"), Contains("fan-out 0.5, expected 1 to 16"));
  CHECK_THAT(error("circuit8:hubs=17"), Contains("17 hubs"));
  CHECK_THAT(error("circuit1"), Contains("expected 2 to 30"));
  CHECK_THAT(error("lattice8:unknowns=0"), Contains("0 unknowns, expected 1 to 8"));
  CHECK_THAT(error("lattice8:unknowns=9"), Contains("9 unknowns, expected 1 to 8"));
  CHECK_THAT(error("lattice30:unknowns=4"), Contains("4294967296 vertices, expected up to 2^32 - 2"));
  CHECK_THAT(error("logic0"), Contains("log2 of the vertices is 0, expected 1 to 30"));
  CHECK_THAT(error("logic8:fanin=0"), Contains("fan-in 0, expected 1 to 8"));
  CHECK_THAT(error("logic8:fanin=9"), Contains("fan-in 9, expected 1 to 8"));
  CHECK_THAT(error("logic8:fanin=4:window=3"), Contains("window of 3, expected at least the 4 inputs"));
  CHECK_THAT(error("logic8:far=1.5"), Contains("1.5 far, expected 0 to 1"));
  CHECK_THAT(error("logic8:far=nan"), Contains("expected 0 to 1"));
  CHECK_THAT(error("logic8:undirected=2"), Contains("undirected '2', expected 0 or 1"));
  CHECK_THAT(error("logic8:fan_in=2"), Contains("did you mean 'fanin'?"));
  CHECK_THAT(error("community31"), Contains("log2 of the vertices is 31, expected 2 to 30"));
  CHECK_THAT(error("community8:degree=1.5"), Contains("average degree 1.5, expected 2 to 255"));
  CHECK_THAT(error("community8:degree=256"), Contains("expected 2 to 255"));
  CHECK_THAT(error("community12:degree=1001"), Contains("expected 2 to 1000"));
  CHECK_THAT(error("community8:degree=nan"), Contains("expected 2 to 255"));
  CHECK_THAT(error("community8:largest=2"), Contains("2 members of the largest group, expected 3 to 4096"));
  CHECK_THAT(error("community8:largest=4097"), Contains("expected 3 to 4096"));
  CHECK_THAT(error("community8:mixing=-0.1"), Contains("mixing -0.1, expected 0 to 1"));
  CHECK_THAT(error("community8:weights=length"), Contains("unknown weights 'length' for 'community'"));
  CHECK_THAT(error("web0"), Contains("log2 of the vertices is 0, expected 1 to 30"));
  CHECK_THAT(error("web3"), Contains("average degree 8, expected 1 to 7"));
  CHECK_THAT(error("web8:degree=0.5"), Contains("average degree 0.5, expected 1 to 255"));
  CHECK_THAT(error("web8:copied=1.1"), Contains("1.1 copied, expected 0 to 1"));
  CHECK_THAT(error("web8:remote=nan"), Contains("remote, expected 0 to 1"));
  CHECK_THAT(error("wbe8"), Contains("did you mean 'web'?"));
  CHECK_THAT(error("rmat8:a=0.9:b=0.2"), Contains("add up to at most 1"));
  CHECK_THAT(error("rmat8:a=-0.1"), Contains("add up to at most 1"));
  CHECK_THAT(error("rmat8:weights=length"), Contains("unknown weights 'length' for 'rmat', expected own, unit"));
  CHECK_THAT(error("road8:weights=parteo"), Contains("did you mean 'pareto'?"));
  CHECK_THAT(error("road8:weights"), Contains("expected 'weights=NAME'"));
  CHECK_THAT(error("road8:weight_seed=3"), Contains("weight_seed applies only to random weights"));
  CHECK_THAT(error("lattice30:diagonals=1:dims=3:shuffle=1"), Contains("GiB"));
}
