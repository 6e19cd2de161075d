// SPDX-License-Identifier: Apache-2.0
// Reductions on a device, on the simulator: they leave the same core as those on processors.
#include <array>
#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "fill_in_abi.cuh"
#include "graph/adversarial.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/reduced_graph.hpp"
#include "problems/shortest_paths/device_reduction.hpp"
#include "sssp_test.hpp"
#include "tests/oracle/chain_graph.hpp"
#include "tests/oracle/tiny_graph.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using graph::csr_graph;
using graph::vertex_id;

/// Ends and lengths in ascending order of the ends, without ends that do not exist.
using fill_paths = std::vector<std::pair<u32, u32>>;

fill_paths sorted_paths(const std::array<u32, 2>& ends, const std::array<u32, 2>& lengths, u32 core_size) {
  fill_paths paths;
  for (std::size_t i = 0; i < 2; ++i) {
    if (ends.at(i) != core_size) paths.emplace_back(ends.at(i), lengths.at(i));
  }
  std::ranges::sort(paths);
  return paths;
}

/// Compares a reduction on the device with one on processors. Both eliminate as many vertices as they can of a graph of
/// up to 1,024, whose core does not depend on the order.
void check_reduction(backends::backend& device, const csr_graph& graph, std::uint64_t seed) {
  device.set_seed(seed);
  const problems::resident_graph rows(device, graph, "a graph", false);
  REQUIRE(problems::can_reduce_on_device(device.info(), graph));
  thread_team team(1);
  graph::lazily_reduced_graphs reductions;
  std::shared_ptr<const graph::reduced_graph> expected;
  try {
    expected = reductions.get(graph, graph::eliminated_vertices::chains, team);
  } catch (const input_error&) {
    CHECK_THROWS_WITH(problems::reduce_on_device(device, graph, rows), Catch::Contains("too long for a weight"));
    return;
  }
  const problems::reduced_rows reduced = problems::reduce_on_device(device, graph, rows);
  REQUIRE(reduced.core.vertex_count() == expected->core().vertex_count());
  CHECK(std::ranges::equal(reduced.core.offsets(), expected->core().offsets()));
  CHECK(std::ranges::equal(reduced.core.targets(), expected->core().targets()));
  CHECK(std::ranges::equal(reduced.core.weight_bits(), expected->core().weight_bits()));
  std::vector<fill_row> filled(graph.vertex_count());
  device.download(filled.data(), reduced.on_device, reduced.on_device.bytes());
  const u32 core_size = expected->core().vertex_count();
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    CAPTURE(v);
    const std::uint32_t place = expected->structure().place(v);
    REQUIRE(reduced.places()[v] == (graph::reduction::is_in_core(place) ? place : 0));
    const graph::fill_row<graph::distance_bits>& row = expected->rows<graph::distance_bits>()[v];
    REQUIRE(sorted_paths({filled[v].ends[0], filled[v].ends[1]}, {filled[v].lengths[0], filled[v].lengths[1]},
                         core_size) == sorted_paths(row.ends, row.lengths, core_size));
  }
}

/// Returns a graph whose first vertex has two neighbours with many more, and many leaves and loops.
csr_graph hub_graph() {
  graph::edge_list edges;
  vertex_id next = 3;
  const auto join = [&](vertex_id a, vertex_id b) {
    edges.add(a, b, 1 + (a * 7 + b * 3) % 50);
    edges.add(b, a, 1 + (a * 5 + b * 11) % 50);
  };
  for (unsigned i = 0; i < 150; ++i) join(0, next++);
  for (unsigned i = 0; i < 40; ++i) {
    join(0, next);
    join(next, next + 1);
    join(next + 1, i % 2 == 0 ? 0 : 1);
    next += 2;
  }
  for (unsigned i = 0; i < 60; ++i) {
    join(1, next);
    join(2, next++);
  }
  join(0, 2);
  return graph::build_csr(next, edges);
}

/// Returns vertices 0 to 3, each joined with every other, and a chain from the first to the second.
csr_graph graph_with_chain(unsigned first_weight, unsigned second_weight) {
  graph::edge_list edges;
  for (vertex_id v = 0; v < 4; ++v) {
    for (vertex_id u = 0; u < 4; ++u) {
      if (u != v) edges.add(v, u, 1);
    }
  }
  edges.add(0, 4, first_weight);
  edges.add(4, 1, second_weight);
  return graph::build_csr(5, edges);
}

}  // namespace

TEST_CASE("a device leaves the same core and fills it in in the same way as processors") {
  const auto device = open_simulator("simt:3x4");
  for (std::uint64_t seed = 1; seed <= 600 * fuzz_factor(); ++seed) {
    if (!tests::in_share(seed)) continue;
    CAPTURE(seed);
    check_reduction(*device, oracle::chains_of_all_kinds(seed), seed);
  }
  for (std::uint64_t seed = 1; seed <= 1200 * fuzz_factor(); ++seed) {
    if (!tests::in_share(seed)) continue;
    CAPTURE(seed);
    const csr_graph graph = oracle::random_tiny_graph(seed).csr();
    if (graph.weights() == graph::weight_type::uint32 && graph.vertex_count() > 0)
      check_reduction(*device, graph, seed);
  }
}

TEST_CASE("a device removes long chains and cycles, trees, and the neighbours of hubs") {
  const auto device = open_simulator("simt:2x8");
  for (const csr_graph& graph :
       {graph::generate_path(700), graph::generate_cycle(501), graph::generate_cycle(512), graph::generate_star(300),
        graph::generate_grid2d(2, 40), graph::generate_road(9), graph::generate_web(9), graph::generate_complete(40),
        hub_graph(), csr_graph({0, 0}, {}, std::vector<std::uint32_t>()), graph_with_chain(5, 7),
        graph_with_chain(3'000'000'000, 2'000'000'000)}) {
    check_reduction(*device, graph, 1);
  }
  for (const std::string_view name : graph::adversarial_names()) {
    CAPTURE(name);
    const csr_graph graph = graph::adversarial_graph(name, graph::weight_type::uint32);
    if (graph.vertex_count() > 0 && graph.vertex_count() <= 1024) check_reduction(*device, graph, 2);
  }
}
