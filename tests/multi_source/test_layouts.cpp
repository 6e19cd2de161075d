// SPDX-License-Identifier: Apache-2.0
// Packed rows, and vertices in another order in device memory than in the graph.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "problems/multi_source/packed_rows.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "tests/multi_source/batch_test.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;
using Catch::Contains;

namespace {

/// Returns a ring of 500 vertices with rows of every kind: a hub, rows of 12 edges, long edges, loops, a heavy edge,
/// weights of 0.
graph::csr_graph ring_with_exceptions() {
  constexpr graph::vertex_id n = 500;
  std::vector<graph::edge_offset> offsets = {0};
  std::vector<graph::vertex_id> targets;
  std::vector<std::uint32_t> weights;
  for (graph::vertex_id v = 0; v < n; ++v) {
    const auto add = [&](graph::vertex_id target, std::uint32_t weight) {
      targets.push_back(target % n);
      weights.push_back(weight);
    };
    add(v + 1, 3 + v % 5);
    add(v + n - 1, v % 4);
    if (v == 240) {
      for (graph::vertex_id target = 0; target < 100; ++target) add(3 * target, 40 + target);
    }
    if (v % 50 == 7) {
      for (graph::vertex_id target = 1; target <= 10; ++target) add(v + 20 * target, 11 * target);
    }
    if (v % 30 == 11) add(v, 1);
    if (v == 99) add(400, 0x7FFFFFF0);
    offsets.push_back(targets.size());
  }
  return {std::move(offsets), std::move(targets), std::move(weights)};
}

/// Returns the edges of a vertex without loops, from packed rows. @return nothing for a row that is stored elsewhere
std::vector<std::pair<graph::vertex_id, u32>> unpacked(const packed_rows& rows, unsigned width, graph::vertex_id v) {
  std::vector<std::pair<graph::vertex_id, u32>> edges;
  for (unsigned i = 0; i < width; ++i) {
    const auto word = static_cast<std::int32_t>(rows.words[v * width + i]);
    const std::int32_t difference = word >> rows.weight_bits;
    if (difference == 0) continue;
    edges.emplace_back(static_cast<graph::vertex_id>(static_cast<std::int32_t>(v) + difference),
                       static_cast<u32>(word) & ((1U << rows.weight_bits) - 1));
  }
  return edges;
}

}  // namespace

TEST_CASE("packed rows have the edges of the graph, or say that they are elsewhere") {
  for (const graph::csr_graph& graph :
       {ring_with_exceptions(), graph::generate_road(9), graph::generate_delaunay(300)}) {
    for (const unsigned width : {4U, 8U, 16U}) {
      packed_rows rows;
      try {
        rows = pack_rows(graph, width);
      } catch (const backends::launch_error&) {
        CHECK(width == 4);  // meshes have rows of six edges
        continue;
      }
      CAPTURE(graph.vertex_count(), width, rows.weight_bits);
      std::size_t elsewhere = 0;
      for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
        std::vector<std::pair<graph::vertex_id, u32>> right;
        for (graph::edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
          if (graph.targets()[e] != v) right.emplace_back(graph.targets()[e], graph.weight_bits()[e]);
        }
        const auto edges = unpacked(rows, width, v);
        if (rows.words[v * width] == 1) {
          ++elsewhere;
          CHECK(edges.empty());
          CHECK((right.size() > width ||
                 std::ranges::any_of(right, [](const auto& edge) { return edge.second > 1000; })));
        } else {
          CHECK(edges == right);
        }
      }
      CHECK(elsewhere == rows.elsewhere);
    }
  }
}

TEST_CASE("packed rows are refused where they do not fit") {
  CHECK_THROWS_WITH(pack_rows(graph::with_weight_type(graph::generate_road(6), graph::weight_type::float32), 4),
                    Contains("whole weights"));
  CHECK_THROWS_WITH(pack_rows(graph::generate_delaunay(300), 4), Contains("do not fit in 4 words"));
  multi_source_fixture levels("simt", graph::generate_road(6), problems::search_kind::bfs);
  CHECK_THROWS_WITH(levels.prepare("threads=32,blocks=1,near_items=32,ell_width=4,packed_rows=true"),
                    Contains("without weights"));
  multi_source_fixture wide("simt", graph::with_weight_type(graph::generate_road(6), graph::weight_type::float64));
  CHECK_THROWS_WITH(wide.prepare("threads=32,blocks=1,near_items=32,ell_width=4,packed_rows=true"),
                    Contains("only whole weights"));
}

TEST_CASE("every layout finds the distances of every vertex, with targets or without") {
  for (const graph::csr_graph& graph : {ring_with_exceptions(), graph::generate_road(8)}) {
    // There are more sources than blocks, near and far ones, and one is repeated.
    const std::vector<graph::vertex_id> sources = {200, 3, 3, 99, 17, 240, 4, 7, 199, 57, 120};
    const std::vector<graph::vertex_id> targets = {5, 230, 107, 5};
    for (const char* const layout :
         {"order=given,ell_width=4,packed_rows=true", "order=place,ell_width=0", "order=place,ell_width=8",
          "order=place,ell_width=4,packed_rows=true", "order=place,ell_width=8,packed_rows=true"}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        if (!tests::in_share(seed)) continue;
        CAPTURE(layout, seed, graph.vertex_count());
        multi_source_fixture tested("simt", graph);
        tested.prepare(std::string("threads=64,blocks=1,near_items=32,delta=3,heavy_degree=16,") + layout);
        REQUIRE(tested.search({.sources = sources, .keep = true}, seed).result == db::outcome::ok);
        const std::vector<multi_source_answer> answers = tested.instance().active_solver().answers();
        for (std::size_t i = 0; i < sources.size(); ++i) {
          const auto right = graph::dijkstra(graph, sources[i]);
          REQUIRE(tested.instance().active_solver().distances(i, 1) == right);
          CHECK(answers[i].digest == answer_of(right).digest);
        }
        REQUIRE(tested.search({.sources = sources}, seed).result == db::outcome::ok);
        for (std::size_t i = 0; i < sources.size(); ++i) {
          CHECK(tested.instance().active_solver().answers()[i].digest == answers[i].digest);
        }
        REQUIRE(tested.search({.sources = sources, .targets = targets}, seed).result == db::outcome::ok);
        const auto distances = tested.instance().active_solver().target_distances();
        for (std::size_t i = 0; i < sources.size(); ++i) {
          const auto right = graph::dijkstra(graph, sources[i]);
          for (std::size_t t = 0; t < targets.size(); ++t)
            CHECK(distances[i * targets.size() + t] == right[targets[t]]);
        }
      }
    }
  }
}

TEST_CASE("an instance changes between layouts, and each is right") {
  multi_source_fixture tested("simt", graph::generate_road(8));
  for (const char* const label :
       {"order=place,ell_width=4,packed_rows=true", "order=given,ell_width=4", "order=place,ell_width=4",
        "order=given,ell_width=4,packed_rows=true", "solver=group,parts=1", "order=place,ell_width=0"}) {
    CAPTURE(label);
    tested.prepare(std::string(label) +
                   (label[0] == 's' ? ",threads=32,blocks=1" : ",threads=32,blocks=1,near_items=32"));
    CHECK(tested.run_and_check("sources=5:seed=3").empty());
  }
}

namespace {

/// Returns the recommended labels for a GPU, best first.
std::vector<std::string> recommended(double vertices, double degree, double largest_degree, std::size_t searches) {
  const problems::workload_facts facts{
      .name = "a graph", .features = {{"m", vertices}, {"nnz", vertices * degree}, {"max_nnz", largest_degree}}};
  std::vector<std::string> labels;
  for (const auto& next : problems::recommend(problems::find_problem("sssp_batch"), facts, {}, {.searches = searches}))
    labels.push_back(next.configuration.label());
  return labels;
}

}  // namespace

TEST_CASE("recommendations depend on degrees, size and the number of searches") {
  const auto parameters = tuner::parameter_set::from_declarations(declared_parameters());
  struct shape {
    double vertices;
    double degree;
    double largest;
  };
  const auto first = [&](const shape& dimensions, std::size_t searches) {
    std::vector<std::string> labels;
    for (const std::string& label : recommended(dimensions.vertices, dimensions.degree, dimensions.largest, searches)) {
      const tuner::configuration chosen = parameters.parse_label(label);
      labels.push_back(chosen.label());
      if (solver_of(chosen) == "block")
        CHECK(host_parameters(chosen).by_place == (searches >= 16'384 && dimensions.largest < 50));
    }
    // Each recommendation is listed once.
    CHECK(std::set(labels.begin(), labels.end()).size() == labels.size());
    CHECK(labels.size() >= 3);
    return host_parameters(parameters.parse_label(labels.front()));
  };
  for (const std::size_t searches : {std::size_t{100}, std::size_t{100'000}}) {
    CHECK(first({260'000, 2.9, 4}, searches).ell_width == 4);
    CHECK(first({4'000'000, 2.9, 4}, searches).threads == 512);
    CHECK(first({115'000, 2.1, 5}, searches).threads == 128);
    CHECK(first({133'000, 6, 12}, searches).ell_width == 8);
    CHECK(first({50'000, 9, 300}, searches).solver == "group");
  }
  // Only integer weights can be packed: there must be another recommendation as a fallback.
  for (const double degree : {2.0, 2.9, 6.0}) {
    for (const double vertices : {1e5, 1e6}) {
      for (const std::size_t searches : {std::size_t{100}, std::size_t{100'000}}) {
        CHECK(std::ranges::any_of(recommended(vertices, degree, 8, searches), [&](const std::string& label) {
          return !host_parameters(parameters.parse_label(label)).packed_rows;
        }));
      }
    }
  }
}
