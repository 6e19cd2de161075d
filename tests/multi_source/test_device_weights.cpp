// SPDX-License-Identifier: Apache-2.0
// Weights of a hierarchy's arcs that a device finds.
#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/thread_team.hpp"
#include "graph/generate.hpp"
#include "graph/hierarchy/customization.hpp"
#include "graph/hierarchy/merged_elimination.hpp"
#include "graph/new_weights.hpp"
#include "graph/reduced_graph.hpp"
#include "problems/graphs/ell_rows.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/multi_source/built_hierarchy.hpp"
#include "problems/multi_source/device_weights.hpp"
#include "problems/multi_source/elimination_panels.hpp"
#include "problems/multi_source/packed_rows.hpp"
#include "problems/multi_source/placed_graph.hpp"
#include "tests/support/bellman_ford.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;

namespace {

graph::csr_graph with_random_weights(const graph::csr_graph& graph, std::uint64_t seed, std::uint64_t largest) {
  random_stream random({seed, graph.edge_count()});
  std::vector<std::uint32_t> weights(graph.edge_count());
  for (std::uint32_t& weight : weights) weight = static_cast<std::uint32_t>(random.below(largest + 1));
  return graph::with_weights(graph, std::move(weights));
}

/// A graph on a simulated device, with its hierarchy.
class device_fixture {
 public:
  explicit device_fixture(const graph::csr_graph& graph)
      : graph_(graph),
        device_(backends::open_device("simt:4x4")),
        on_device_(*device_, graph, "the graph", false),
        ell_rows_(*device_, graph, false, *on_device_.rows),
        packed_rows_(*device_, graph),
        placed_(*device_, graph, "the graph", false),
        hierarchy(graph),
        input{.device = *device_,
              .graph = graph,
              .on_device = on_device_,
              .ell_rows = ell_rows_,
              .packed_rows = packed_rows_,
              .placed = placed_,
              .hierarchy = hierarchy,
              .reductions = reductions_,
              .average_weight = 1,
              .kind = problems::search_kind::sssp,
              .limits = {}} {}

  [[nodiscard]] std::vector<std::uint32_t> downloaded(const std::uint32_t* words, std::size_t count) {
    std::vector<std::uint32_t> values(count);
    const backends::device_memory memory =
        device_->borrow(const_cast<std::uint32_t*>(words), count * sizeof(std::uint32_t), "words");
    device_->download(values.data(), memory, memory.bytes());
    return values;
  }
  backends::backend& device() { return *device_; }
  void set_seed(std::uint64_t seed) { device_->set_seed(seed); }

 private:
  const graph::csr_graph& graph_;
  std::unique_ptr<backends::backend> device_;
  problems::resident_graph on_device_;
  problems::resident_ell ell_rows_;
  resident_packed_rows packed_rows_;
  lazily_placed_graph placed_;
  graph::lazily_reduced_graphs reductions_;

 public:
  lazily_built_hierarchy hierarchy;
  solver_input input;
};

std::vector<graph::csr_graph> graphs_with_weights() {
  std::vector<graph::csr_graph> graphs;
  for (const char* const name : {"del8", "road8", "lattice6", "rmat4"}) {
    const graph::csr_graph graph = graph::generate_named(name).graph;
    for (const std::uint64_t largest : {std::uint64_t{2}, std::uint64_t{1000}, std::uint64_t{graph::largest_weight}})
      graphs.push_back(with_random_weights(graph, largest, largest));
  }
  return graphs;
}

}  // namespace

TEST_CASE("a device keeps the arcs that processors keep, with the same weights") {
  for (const graph::csr_graph& graph : graphs_with_weights()) {
    device_fixture tested(graph);
    const graph::elimination& tree = *tested.hierarchy.tree();
    CAPTURE(tree.vertices(), tree.heads.size(), tested.hierarchy.has_long_paths());
    device_weights weights(tested.input, tree, weight_use::needed_arcs);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      tested.set_seed(seed);
      weights.find();
      const graph::search_hierarchy& expected = tested.hierarchy.get();
      std::vector<ascent_vertex> vertices(tree.vertices());
      tested.device().download(vertices.data(), weights.vertices(), vertices.size() * sizeof(ascent_vertex));
      std::vector<hierarchy_item> arcs(tree.heads.size());
      tested.device().download(arcs.data(), weights.ascent_arcs(), arcs.size() * sizeof(hierarchy_item));
      const std::vector<std::uint32_t> downward = tested.downloaded(weights.needed_downward(), tree.heads.size());
      for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
        const std::span<const graph::ancestor_arc> up = expected.upward.row(p);
        REQUIRE(vertices[p].arcs == up.size());
        for (std::size_t i = 0; i < up.size(); ++i) {
          REQUIRE(arcs[tree.first_arc[p] + i].key == up[i].depth);
          REQUIRE(arcs[tree.first_arc[p] + i].value == up[i].weight);
        }
        std::size_t next = 0;
        for (std::size_t a = tree.first_arc[p]; a < tree.first_arc[p + std::size_t{1}]; ++a) {
          if (downward[a] == expected.no_path()) continue;
          REQUIRE(next < expected.downward.row(p).size());
          REQUIRE(expected.downward.row(p)[next].depth == tree.depth[tree.heads[a]]);
          REQUIRE(expected.downward.row(p)[next].weight == downward[a]);
          ++next;
        }
        REQUIRE(next == expected.downward.row(p).size());
      }
    }
  }
}

TEST_CASE("all arcs of an elimination have the lengths of shortest paths") {
  for (const graph::csr_graph& graph : graphs_with_weights()) {
    device_fixture tested(graph);
    const graph::elimination tree = graph::with_merged_supernodes(*tested.hierarchy.tree(), 2);
    device_weights weights(tested.input, tree, weight_use::all_arcs);
    weights.find();
    const std::vector<std::uint32_t> up = tested.downloaded(weights.shortest().upward, tree.heads.size());
    const std::vector<std::uint32_t> down = tested.downloaded(weights.shortest().downward, tree.heads.size());
    const auto expected = [&](std::uint32_t distance) {
      return distance == graph::unreached ? tested.hierarchy.farthest_within(graph::unreached) + 1 : distance;
    };
    std::vector<std::vector<std::uint32_t>> distances(tree.vertices());
    for (std::uint32_t p = 0; p < tree.vertices(); ++p) distances[p] = tests::bellman_ford(graph, tree.vertex_at[p]);
    for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
      for (std::size_t a = tree.first_arc[p]; a < tree.first_arc[p + std::size_t{1}]; ++a) {
        REQUIRE(up[a] == expected(distances[p][tree.vertex_at[tree.heads[a]]]));
        REQUIRE(down[a] == expected(distances[tree.heads[a]][tree.vertex_at[p]]));
      }
    }
  }
}

TEST_CASE("panels have every arc once, and know the arcs between their rows") {
  for (const char* const name : {"del9", "road9", "lattice6", "rmat4"}) {
    const graph::csr_graph graph = graph::generate_named(name).graph;
    lazily_built_hierarchy hierarchy(graph);
    const graph::elimination merged = graph::with_merged_supernodes(*hierarchy.tree(), 4);
    for (const graph::elimination* const tree : {hierarchy.tree().get(), &merged}) {
      const elimination_panels divided = divide_into_panels(*tree);
      std::vector<std::uint32_t> visits(tree->heads.size(), 0);
      for (const elimination_panel& panel : divided.panels) {
        REQUIRE(panel.columns <= most_panel_columns);
        const std::uint32_t first = divided.columns[panel.first_column];
        for (u32 column = 0; column < panel.columns; ++column) {
          const std::uint32_t arcs = divided.columns[panel.first_column + column];
          for (u32 row = 0; row < panel.rows + column; ++row) ++visits[arcs + row];
          for (u32 row = 0; row < panel.rows; ++row) REQUIRE(tree->heads[arcs + row] == tree->heads[first + row]);
        }
        for (u32 near = 0; near < panel.rows; ++near) {
          const panel_row& row = divided.rows[panel.first_row + near];
          REQUIRE(row.first_arc == tree->first_arc[tree->heads[first + near]]);
          for (u32 far = 0; far < near; ++far)
            REQUIRE(tree->heads[row.first_arc + divided.places[row.first_place + far]] == tree->heads[first + far]);
        }
      }
      REQUIRE(visits == std::vector<std::uint32_t>(tree->heads.size(), 1));
    }
  }
}
