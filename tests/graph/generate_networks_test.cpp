// SPDX-License-Identifier: Apache-2.0
// Graphs of logic, communities and web pages: depth, degrees, cliques and reach.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <iterator>
#include <set>

#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "tests/graph/generated.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

namespace {

/// Returns the number of edges of the shortest path to the vertex that is farthest from `source` among those it
/// reaches.
std::uint64_t depth_from(const std::string& name, vertex_id source) {
  std::uint64_t deepest = 0;
  for (const auto distance : dijkstra(graph_named(name + ":weights=unit"), source)) {
    if (distance != unreached) deepest = std::max<std::uint64_t>(deepest, distance);
  }
  return deepest;
}

std::vector<std::size_t> in_degrees(const csr_graph& graph) {
  std::vector<std::size_t> degrees(graph.vertex_count(), 0);
  for (const vertex_id v : graph.targets()) ++degrees[v];
  return degrees;
}

double share_of_at_least(const std::vector<std::size_t>& degrees, std::size_t least) {
  const auto more = std::count_if(degrees.begin(), degrees.end(), [&](std::size_t d) { return d >= least; });
  return static_cast<double>(more) / static_cast<double>(degrees.size());
}

/// Returns the size of the largest clique found greedily: starting from a vertex of at most 80 neighbours, adds the
/// vertices with the most neighbours in common first.
std::size_t large_clique(const csr_graph& graph) {
  std::vector<target_list> rows(graph.vertex_count());
  for (const edge& e : edges_of(graph)) rows[e.source].push_back(e.target);
  std::size_t largest = 0;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (rows[v].size() > 80 || rows[v].size() < largest) continue;
    std::vector<std::pair<std::size_t, vertex_id>> order;
    for (const vertex_id u : rows[v]) {
      target_list common;
      std::set_intersection(rows[v].begin(), rows[v].end(), rows[u].begin(), rows[u].end(), std::back_inserter(common));
      order.emplace_back(common.size(), u);
    }
    std::sort(order.rbegin(), order.rend());
    target_list clique{v};
    for (const auto& [common, u] : order) {
      const target_list& row = rows[u];
      if (std::all_of(clique.begin(), clique.end(),
                      [&](vertex_id w) { return std::binary_search(row.begin(), row.end(), w); })) {
        clique.push_back(u);
      }
    }
    largest = std::max(largest, clique.size());
  }
  return largest;
}

/// Returns the share of pairs of a vertex' neighbours that are neighbours, averaged over vertices of degree 2 to 20.
double clustering(const csr_graph& graph) {
  double sum = 0;
  std::size_t counted = 0;
  const auto row_of = [&](vertex_id v) {
    return graph.targets().subspan(graph.offsets()[v], graph.offsets()[v + 1u] - graph.offsets()[v]);
  };
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    const auto row = row_of(v);
    if (row.size() < 2 || row.size() > 20) continue;
    double closed = 0;
    for (const vertex_id u : row) {
      const auto others = row_of(u);
      for (const vertex_id w : row) closed += std::binary_search(others.begin(), others.end(), w) ? 1 : 0;
    }
    sum += closed / static_cast<double>(row.size() * (row.size() - 1));
    ++counted;
  }
  return sum / static_cast<double>(counted);
}

}  // namespace

TEST_CASE("logic: every gate reads the requested number of different earlier gates, and all are reached") {
  for (const unsigned fanin : {1u, 2u, 5u}) {
    INFO(fanin);
    const csr_graph graph = generate_logic(12, {.fanin = fanin, .window = 20});
    std::set<std::pair<vertex_id, vertex_id>> seen;
    for (const edge& e : edges_of(graph)) {
      REQUIRE(e.source < e.target);
      REQUIRE(seen.emplace(e.source, e.target).second);
    }
    const std::vector<std::size_t> inputs = in_degrees(graph);
    for (vertex_id gate = 0; gate < graph.vertex_count(); ++gate) REQUIRE(inputs[gate] == std::min(gate, fanin));
    CHECK(reached_share(graph, 0) == 1);
  }
  CHECK(generate_named("logic14").source == 0);
  const csr_graph symmetric = graph_named("logic10:undirected=1");
  check_simple_and_symmetric(symmetric);
  CHECK(symmetric.edge_count() == 2 * graph_named("logic10").edge_count());
}

TEST_CASE("logic: most inputs are near, some from signals that many read, and depth falls with the far ones") {
  const csr_graph near = graph_named("logic14:far=0:window=100");
  std::array<double, 3> farther{};  // more than 1, 10 and 100 gates away
  for (const edge& e : edges_of(near)) {
    const vertex_id back = e.target - e.source;
    for (const auto& [i, least] : {std::pair(0u, 2u), std::pair(1u, 11u), std::pair(2u, 101u)}) {
      farther.at(i) += back >= least ? 1.0 / static_cast<double>(near.edge_count()) : 0;
    }
  }
  // Of two different inputs, at most one comes from the preceding gate.
  CHECK((farther[0] > 0.5 && farther[0] < 0.65));
  CHECK(farther[1] == Approx(0.12).margin(0.03));
  CHECK(farther[2] == 0);
  CHECK(compute_features(near).max_nnz < 12);

  const csr_graph graph = graph_named("logic14:far=0.2");
  double far = 0;
  for (const edge& e : edges_of(graph))
    far += e.target - e.source > 64 ? 1.0 / static_cast<double>(graph.edge_count()) : 0;
  CHECK(far == Approx(0.2).margin(0.01));
  // One in 20 inputs comes from a signal. The signal at 1/16 is read by 1/2, 1/3, … of all gates in succession.
  const edge_offset readers = graph.offsets()[1025] - graph.offsets()[1024];
  CHECK(static_cast<double>(readers) == Approx(2 * 16384 * 0.05 / 16 * std::log(16)).epsilon(0.2));
  CHECK(compute_features(graph).max_nnz == static_cast<double>(readers));

  CHECK(depth_from("logic14:far=0", 0) > 2 * 16384 / 64);
  CHECK(depth_from("logic14:far=0:window=8", 0) > 2 * depth_from("logic14:far=0", 0));
  CHECK(depth_from("logic14:far=0.01", 0) < 100);
  CHECK(depth_from("logic14", 0) < 40);
}

TEST_CASE("communities: degrees, groups and connections are as requested") {
  for (const std::string name : {"community14", "community14:mixing=0", "community14:mixing=1",
                                 "community14:degree=30:largest=20", "community14:degree=6:largest=300"}) {
    INFO(name);
    const csr_graph graph = graph_named(name);
    check_simple_and_symmetric(graph);
    CHECK(graph.vertex_count() > 0.95 * (1 << 14));
    CHECK(reached_share(graph, 0) == 1);
    CHECK(compute_features(graph).avg_nnz ==
          Approx(static_cast<double>(expected_size(name).edges) / 16384).epsilon(0.1));
  }
  // Few vertices have many neighbours: the number with at least d neighbours falls with about d^-2.
  const std::vector<std::size_t> degrees = in_degrees(graph_named("community16:largest=8"));
  CHECK(std::log2(share_of_at_least(degrees, 32) / share_of_at_least(degrees, 128)) / 2 == Approx(2).margin(0.4));
  CHECK(generate_named("community16").graph_class == "power_law");
  CHECK(generate_named("community14:degree=3").graph_class == "mesh");
}

TEST_CASE("communities: neighbours of one are neighbours of each other, and near unless mixed") {
  CHECK(clustering(graph_named("community14:degree=8")) > 0.3);
  CHECK(clustering(graph_named("community14:degree=8:mixing=1")) > 0.3);
  CHECK(clustering(graph_named("power14:degree=8:exponent=3")) < 0.02);
  // Large groups are thinned out to keep the degree, small ones are not.
  CHECK(clustering(graph_named("community14:degree=4:largest=1000")) > 0.1);
  const std::size_t clique = large_clique(graph_named("community14"));
  CHECK((clique >= 50 && clique <= 70));
  CHECK(large_clique(graph_named("community14:largest=10")) <= 14);
  const auto far_share = [](const std::string& name) {
    const csr_graph graph = graph_named(name);
    double far = 0;
    for (const edge& e : edges_of(graph)) {
      far += std::abs(static_cast<double>(e.source) - static_cast<double>(e.target)) > 2048 ? 1 : 0;
    }
    return far / static_cast<double>(graph.edge_count());
  };
  CHECK(far_share("community14:mixing=0") < 0.25);
  CHECK(far_share("community14:mixing=1") == Approx(0.77).margin(0.05));
  CHECK(depth_from("community14:mixing=0:largest=8:degree=6", 0) >
        depth_from("community14:mixing=0.5:largest=8:degree=6", 0));
}

TEST_CASE("the web: links to a page have a power law, a page with many links reaches most others") {
  for (const double copied : {0.5, 0.7}) {
    INFO(copied);
    const csr_graph graph = generate_web(16, {.copied = copied});
    const std::vector<std::size_t> degrees = in_degrees(graph);
    CHECK(std::log2(share_of_at_least(degrees, 32) / share_of_at_least(degrees, 256)) / 3 ==
          Approx(std::log(2) / std::log(1 + copied)).margin(0.3));
  }
  const generated_graph web = generate_named("web16");
  CHECK(web.graph_class == "power_law");
  CHECK(web.graph.vertex_count() == 65536);
  const graph_features features = compute_features(web.graph);
  CHECK(features.avg_nnz == Approx(8).epsilon(0.12));
  CHECK((features.max_nnz > 10 * features.avg_nnz && features.max_nnz <= 8 * 32));
  CHECK(reached_share(web.graph, web.source) > 0.9);
  // Without copies, every page is equally likely to be linked.
  CHECK(share_of_at_least(in_degrees(graph_named("web14:copied=0")), 32) == 0);
  std::set<std::pair<vertex_id, vertex_id>> seen;
  std::size_t forward = 0;
  for (const edge& e : edges_of(web.graph)) {
    REQUIRE(e.source != e.target);
    REQUIRE(seen.emplace(e.source, e.target).second);
    forward += e.source < e.target ? 1 : 0;
  }
  CHECK(static_cast<double>(forward) / static_cast<double>(seen.size()) == Approx(0.5).margin(0.1));
  check_simple_and_symmetric(graph_named("web10:undirected=1"));
}

TEST_CASE("the web: links that are not copied stay in the site but for the share of remote ones") {
  for (const double remote : {0.0, 0.3, 1.0}) {
    INFO(remote);
    const csr_graph graph = generate_web(14, {.copied = 0, .remote = remote});
    double outside = 0;
    for (const edge& e : edges_of(graph)) outside += e.source >> 8 != e.target >> 8 ? 1 : 0;
    CHECK(outside / static_cast<double>(graph.edge_count()) == Approx(remote).margin(0.06));
  }
}
