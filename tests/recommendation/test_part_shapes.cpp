// SPDX-License-Identifier: Apache-2.0
// The choice of a configuration that searches a graph in parts: it depends on size, degrees and weights, and parts must
// fit.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/reduced_graph.hpp"
#include "problems/searches/part_shapes.hpp"
#include "problems/searches/plan.hpp"
#include "problems/shortest_paths/solvers/graph_parts.hpp"
#include "problems/shortest_paths/solvers/partitioned_solver.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using Catch::Contains;
using problems::part_search_for;

/// Returns a device like an NVIDIA H200, with this number of multiprocessors.
backends::device_info device_of(unsigned multiprocessors) {
  backends::device_info device;
  device.grid = true;
  device.multiprocessors = multiprocessors;
  device.warp_slots = 64;
  device.shared_bytes_per_block = std::size_t{227} << 10;
  return device;
}

/// Returns the chosen configuration, or "" if queues are chosen; checks that the parts fit.
std::string chosen_for(const graph::csr_graph& graph, const backends::device_info& device) {
  const auto label = part_search_for(graph, device);
  if (!label) return "";
  problems::part_store store(graph);
  REQUIRE_NOTHROW(problems::plan_parts(configuration_of(*label), graph, store, device));
  return *label;
}

/// Returns a road network whose crossings are `length` edges apart.
graph::csr_graph chains(unsigned log2_vertices, unsigned length, std::uint32_t weight) {
  const graph::csr_graph road = graph::generate_road(log2_vertices);
  graph::edge_list edges;
  graph::vertex_id next = road.vertex_count();
  for (graph::vertex_id v = 0; v < road.vertex_count(); ++v) {
    for (auto e = road.offsets()[v]; e < road.offsets()[v + 1]; ++e) {
      if (road.targets()[e] < v) continue;
      graph::vertex_id last = v;
      for (unsigned i = 1; i < length; ++i) {
        edges.add(last, next, weight);
        last = next++;
      }
      edges.add(last, road.targets()[e], weight);
    }
  }
  return graph::build_csr(next, edges, {.symmetric = true});
}

}  // namespace

TEST_CASE("small roads and meshes lie in registers") {
  CHECK_THAT(chosen_for(graph::generate_road(14), device_of(132)), Contains("slot_arcs=4,threads=512"));
  CHECK_THAT(chosen_for(graph::generate_delaunay(66'000), device_of(132)), Contains("slot_arcs=3,threads=768"));
  CHECK_THAT(chosen_for(graph::generate_delaunay(40'000), device_of(132)), Contains("slot_arcs=4,threads=512"));
}

TEST_CASE("roads of chains lie in groups that a warp finds distances in") {
  const graph::csr_graph road = chains(14, 4, 20);
  REQUIRE(road.vertex_count() > 60'000);
  REQUIRE(static_cast<double>(road.edge_count()) < 2.2 * road.vertex_count());
  CHECK_THAT(chosen_for(road, device_of(132)), Contains("part_work=pulled_groups") && Contains("threads=768"));
  // The words of groups cannot distinguish distances of 2^31 and more.
  CHECK_THAT(chosen_for(chains(14, 4, 100'000), device_of(132)), !Contains("groups") && Contains("partitioned"));
}

TEST_CASE("small roads lie in groups when they are long and narrow") {
  const graph::csr_graph narrow = chains(8, 40, 20);
  REQUIRE(narrow.vertex_count() < 60'000);
  CHECK_THAT(chosen_for(narrow, device_of(132)), Contains("part_work=pulled_groups") && Contains("threads=384"));
  const graph::csr_graph wide = chains(12, 4, 20);
  REQUIRE(wide.vertex_count() < 60'000);
  REQUIRE(static_cast<double>(wide.edge_count()) < 2.2 * wide.vertex_count());
  CHECK_THAT(chosen_for(wide, device_of(132)), !Contains("groups") && Contains("partitioned"));
  CHECK_NOTHROW(part_search_for(graph::build_csr(0, {}, {}), device_of(132)));
}

TEST_CASE("roads of many slots a thread lie in groups with a window") {
  const graph::csr_graph road = graph::generate_road(16);
  CHECK_THAT(chosen_for(road, device_of(9)), Contains("part_work=groups") && Contains("part_order=window"));
  CHECK_THAT(chosen_for(road, device_of(18)), Contains("part_work=groups") && Contains("part_order=window"));
  CHECK_THAT(chosen_for(road, device_of(30)), Contains("slot_arcs=4,threads=512") && !Contains("groups"));
  // One warp has too few flags.
  backends::device_info narrow = device_of(9);
  narrow.warp_slots = 2;
  CHECK_THAT(part_search_for(road, narrow).value_or(""), !Contains("groups"));
  // The parts would not fit into shared memory.
  CHECK(chosen_for(road, device_of(4)).empty());
  // Rows have more arcs than a slot holds.
  CHECK_THAT(chosen_for(graph::generate_delaunay(40'000), device_of(12)), Contains("arcs=shared"));
}

TEST_CASE("graphs of few edges with longer rows than roads have do not lie in groups") {
  const graph::csr_graph road = chains(14, 4, 20);
  graph::edge_list edges;
  for (graph::vertex_id v = 0; v < road.vertex_count(); ++v) {
    for (auto e = road.offsets()[v]; e < road.offsets()[v + 1]; ++e) edges.add(v, road.targets()[e], 20);
  }
  for (graph::vertex_id v = 1; v <= 8; ++v) edges.add(0, 100 * v, 20);
  const graph::csr_graph star = graph::build_csr(road.vertex_count(), edges, {});
  CHECK_THAT(chosen_for(star, device_of(132)), !Contains("groups") && Contains("partitioned"));
}

TEST_CASE("rows of hubs are spread where a graph has rows of more than 128 edges") {
  CHECK_THAT(chosen_for(graph::generate_rmat(16), device_of(132)),
             Contains("slot_arcs=4,threads=512") && Contains("hub_degree=128"));
  CHECK_THAT(chosen_for(graph::generate_road(14), device_of(132)), !Contains("hub_degree"));
  CHECK(chosen_for(graph::generate_rmat(16), device_of(10)).empty());
}

TEST_CASE("graphs that fit are searched in parts, whatever they look like; distances of 8 bytes are not") {
  CHECK_THAT(chosen_for(graph::generate_rmat(13), device_of(132)), Contains("partitioned"));
  CHECK_THAT(chosen_for(graph::generate_power_law(2'000, 100), device_of(132)), Contains("partitioned"));
  CHECK(chosen_for(graph::generate_power_law(20'000, 300), device_of(132)).empty());
  CHECK(chosen_for(graph::with_weight_type(graph::generate_road(12), graph::weight_type::float64), device_of(132))
            .empty());
}

TEST_CASE("graphs with many vertices of one or two edges are worth reducing, with whole weights") {
  using problems::expect_reduction;
  using problems::search_kind;
  backends::device_info processors;
  processors.grid = false;
  processors.multiprocessors = 2;
  const graph::csr_graph road = graph::generate_road(12);
  const auto expected = expect_reduction(road, search_kind::sssp, processors);
  REQUIRE(expected);
  CHECK(expected->milliseconds > 0);
  CHECK(expected->milliseconds <
        expect_reduction(graph::generate_road(13), search_kind::sssp, processors)->milliseconds);
  CHECK(expect_reduction(graph::generate_path(5), search_kind::sssp, processors)->share == 1);
  CHECK_FALSE(expect_reduction(graph::generate_delaunay(2000), search_kind::sssp, processors));
  CHECK_FALSE(expect_reduction(graph::csr_graph(), search_kind::sssp, processors));
  CHECK_FALSE(expect_reduction(road, search_kind::bfs, processors));
  CHECK_FALSE(
      expect_reduction(graph::with_weight_type(road, graph::weight_type::float64), search_kind::sssp, processors));
  CHECK(expect_reduction(road, search_kind::sssp, device_of(132)));
}

TEST_CASE("vertices of low degree are worth removing from roads, but not from meshes and social networks") {
  using problems::expect_low_degree_reduction;
  using problems::search_kind;
  thread_team team(1);
  graph::lazily_reduced_graphs reductions;
  const graph::csr_graph road =
      reductions.get(graph::generate_road(13), graph::eliminated_vertices::chains, team)->core();
  const graph::csr_graph small_road = graph::generate_road(10);
  const auto expected = expect_low_degree_reduction(road, search_kind::sssp, device_of(132));
  REQUIRE(expected);
  CHECK(*expected > expect_low_degree_reduction(small_road, search_kind::sssp, device_of(132)).value());
  CHECK_FALSE(expect_low_degree_reduction(graph::generate_delaunay(2000), search_kind::sssp, device_of(132)));
  CHECK_FALSE(expect_low_degree_reduction(graph::generate_rmat(10), search_kind::sssp, device_of(132)));
  CHECK_FALSE(expect_low_degree_reduction(road, search_kind::bfs, device_of(132)));
  backends::device_info processors;
  processors.grid = false;
  CHECK_FALSE(expect_low_degree_reduction(road, search_kind::sssp, processors));
  // The rest of the whole graph is judged by a sample.
  CHECK(problems::expect_reduction(small_road, search_kind::sssp, device_of(132))->low_degree_ms);
  CHECK_FALSE(
      problems::expect_reduction(graph::generate_power_law(8192, 3), search_kind::sssp, device_of(132))->low_degree_ms);
}

TEST_CASE("splitting a graph with hubs is expected to take longer than another of its size") {
  const graph::csr_graph path = graph::generate_named("path40").graph;
  const graph::csr_graph star = graph::generate_named("star40").graph;
  REQUIRE(star.edge_count() == path.edge_count());
  CHECK(problems::expected_split_ms(path) > 0);
  CHECK(problems::expected_split_ms(star) > problems::expected_split_ms(path));
}
