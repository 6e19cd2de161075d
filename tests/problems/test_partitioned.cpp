// SPDX-License-Identifier: Apache-2.0
// The partitioned search: right distances for any parts, slots and blocks, also after a run that was stopped; the
// content of its parts; graphs that do not fit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <tuple>

#include "backends/backend.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/partition.hpp"
#include "graph/reference.hpp"
#include "problems/shortest_paths/solvers/graph_parts.hpp"
#include "problems/shortest_paths/solvers/hub_rows.hpp"
#include "search_abi.cuh"
#include "sssp_test.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using problems::arc_layout;
using problems::graph_parts;
using problems::search_kind;
using tuner::instrumentation;

/// One part and several; one control warp for everything, and three; rows of one slot, and of many; arcs in registers
/// and in shared memory; windows that hold back nearly everything, and little; groups with rows of one slot, and of
/// trees of slots; rows of hubs spread over the parts.
const std::vector<std::string> configuration_labels = {
    "solver=partitioned,threads=64",
    "solver=partitioned,threads=64,parts=5,slot_arcs=1",
    "solver=partitioned,threads=128,parts=2,slot_arcs=3",
    "solver=partitioned,threads=128,parts=3,slot_arcs=4,arcs=shared",
    "solver=partitioned,threads=64,parts=2,slot_arcs=1,arcs=shared",
    "solver=partitioned,threads=128,parts=3,slot_arcs=2,part_order=window,part_window=0.25",
    "solver=partitioned,threads=128,parts=2,slot_arcs=4,arcs=shared,part_order=window,part_window=3",
    "solver=partitioned,threads=256,parts=3,slot_arcs=8,part_order=window,part_window=1",
    "solver=partitioned,threads=128,parts=2,slot_arcs=4,part_work=groups",
    "solver=partitioned,threads=96,parts=3,slot_arcs=2,part_work=groups,part_order=window,part_window=0.5",
    "solver=partitioned,threads=256,parts=3,slot_arcs=8,part_work=groups,part_order=window,part_window=4",
    "solver=partitioned,threads=128,parts=2,slot_arcs=4,part_work=pulled_groups",
    "solver=partitioned,threads=96,parts=3,slot_arcs=2,part_work=pulled_groups,part_order=window,part_window=0.5",
    "solver=partitioned,threads=256,parts=3,slot_arcs=8,part_work=pulled_groups,part_order=window,part_window=4",
    "solver=partitioned,threads=128,parts=4,slot_arcs=2,hub_degree=3",
    "solver=partitioned,threads=128,parts=3,slot_arcs=4,arcs=shared,hub_degree=1",
    "solver=partitioned,threads=96,parts=4,slot_arcs=3,part_work=groups,part_order=window,part_window=1,hub_degree=2",
    "solver=partitioned,threads=256,parts=3,slot_arcs=4,part_work=pulled_groups,hub_degree=4",
    "solver=partitioned,threads=256,parts=3,slot_arcs=8"};

/// Too heavy for packed arcs, unless parts have only a few vertices.
constexpr u32 heavy = 1U << 16;

/// Returns whether a configuration can hold the weights of a graph.
bool holds(const std::string& label, const graph::csr_graph& graph) {
  return (label.find("arcs=shared") == std::string::npos && label.find("groups") == std::string::npos) ||
         (graph.weights() == graph::weight_type::uint32 &&
          std::ranges::all_of(graph.weight_bits(), [](u32 weight) { return weight < heavy; }));
}

/// Returns a graph of up to 120 vertices: several components, loops, parallel edges, weights of 0, a hub.
graph::csr_graph random_graph(std::mt19937& draw) {
  const auto below = [&](std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(draw);
  };
  const std::uint32_t n = 1 + below(120);
  const std::uint32_t m = below(1 + n * (1 + below(6)));
  graph::edge_list edges;
  const std::uint32_t hub = below(n);
  const bool has_hub = below(3) == 0;
  const std::uint32_t largest = below(2) == 0 ? 5 : 1'000'000;
  for (std::uint32_t i = 0; i < m; ++i) {
    edges.add(has_hub && below(2) == 0 ? hub : below(n), below(n), below(largest));
  }
  return graph::build_csr(n, edges, {.symmetric = below(2) == 0});
}

/// Returns target and weight of the jth arc of a slot; no_edge if there is none, or for a loop that changes nothing.
std::pair<u32, u32> arc_of(const graph_parts& parts, const graph_part& part, u32 slot, unsigned j) {
  const std::size_t width = parts.shape.slot_arcs;
  if (!parts.shape.is_packed()) {
    const u64 arc = parts.arcs.at(part.first_slot * width + std::size_t{j} * part.slots + slot);
    return {static_cast<u32>(arc), static_cast<u32>(arc >> 32)};
  }
  const u32 arc = parts.packed_arcs.at((part.first_slot + slot) * width + j);
  const bool is_idle = weight_of_packed(arc, parts.target_bits) == 0 &&
                       target_of_packed(arc, parts.target_bits) == parts.slot_vertices.at(part.first_slot + slot);
  return {is_idle ? no_edge : target_of_packed(arc, parts.target_bits), weight_of_packed(arc, parts.target_bits)};
}

/// Returns the vertex of a target of a part; no_vertex if the target is a place that continues a row.
u32 vertex_at(const graph_parts& parts, const graph_part& part, u32 target) {
  if (target < part.vertices) return parts.vertices.at(part.first_vertex + target);
  REQUIRE(target < part.vertices + part.outbox);
  const u32 word = parts.out_words.at(part.first_out + target - part.vertices);
  const auto owner = std::ranges::find_if(parts.parts, [&](const graph_part& candidate) {
    return word >= candidate.first_in && word < candidate.first_in + candidate.inbox;
  });
  REQUIRE(owner != parts.parts.end());
  REQUIRE(&*owner != &part);
  return parts.vertices.at(owner->first_vertex + parts.in_vertices.at(word));
}

/// The arcs of a part whose layout is in groups.
class grouped_arcs {
 public:
  grouped_arcs(const graph_parts& parts, const graph_part& part) : parts_(parts), part_(part), row_(part.vertices) {
    REQUIRE(part.vertices % group_places == 0);
    REQUIRE(part.outbox % group_places == 0);
    for (u32 place = 0; place < part.vertices; ++place) row_[place] = parts.vertices.at(part.first_vertex + place);
    // A place that continues a row comes after the place that leads to it.
    each([&](u32 source, u32 target, u32 weight) {
      if (target >= part_.vertices || parts_.vertices.at(part_.first_vertex + target) != no_vertex) return;
      REQUIRE(source < target);
      REQUIRE(weight == 0);
      leads_to_.emplace(target, source);
    });
    for (const auto& [place, from] : leads_to_) row_[place] = row_.at(from);
  }

  void add_to(std::map<std::tuple<u32, u32, u32>, unsigned>& arcs) const {
    each([&](u32 source, u32 target, u32 weight) {
      if (leads_to_.contains(target)) return;
      ++arcs[{row_.at(source), vertex_at(parts_, part_, target), weight}];
    });
  }

 private:
  /// @param visit called with two places, or with a place and an outbox word, and with a weight
  template <class Visit>
  void each(const Visit& visit) const {
    const u32 idle = part_.vertices + part_.outbox;
    for (u32 place = 0; place < part_.vertices; ++place) {
      for (unsigned j = 0; j < parts_.shape.slot_arcs; ++j) {
        const u32 arc = parts_.packed_arcs.at((std::size_t{part_.first_slot} + place) * parts_.shape.slot_arcs + j);
        const u32 target = target_of_packed(arc, parts_.target_bits);
        const u32 weight = weight_of_packed(arc, parts_.target_bits);
        REQUIRE(target < idle + group_places);
        if (target < idle) {
          visit(place, target, weight);
        } else if (const u32 source = place / group_places * group_places + target - idle; source != place) {
          visit(source, place, weight);
        } else {
          REQUIRE(weight == 0);
        }
      }
    }
  }

  const graph_parts& parts_;
  const graph_part& part_;
  std::vector<u32> row_;         ///< for each place: the vertex whose arcs it has
  std::map<u32, u32> leads_to_;  ///< places that continue rows, by the preceding place
};

/// Returns all arcs of the parts as (from, to, weight) of the graph.
std::map<std::tuple<u32, u32, u32>, unsigned> arcs_of(const graph_parts& parts) {
  std::map<std::tuple<u32, u32, u32>, unsigned> arcs;
  for (const graph_part& part : parts.parts) {
    if (parts.shape.has_groups()) {
      grouped_arcs(parts, part).add_to(arcs);
      continue;
    }
    for (u32 slot = 0; slot < part.slots; ++slot) {
      const u32 source = parts.vertices.at(part.first_vertex + parts.slot_vertices.at(part.first_slot + slot));
      for (unsigned j = 0; j < parts.shape.slot_arcs; ++j) {
        const auto [target, weight] = arc_of(parts, part, slot, j);
        if (target == no_edge) continue;
        ++arcs[{source, vertex_at(parts, part, target), weight}];
      }
    }
  }
  return arcs;
}

/// Returns "" if a run from `source` finishes with Dijkstra's distances, or else the error.
std::string error_of_run(search& tried, const graph::csr_graph& graph, graph::vertex_id source) {
  const tuner::run_report report = tried.run(source);
  return report.message.empty() ? disagreement(tried, graph, source) : report.message;
}

std::vector<u32> equal_loads(const graph::csr_graph& graph) { return std::vector<u32>(graph.vertex_count(), 1); }

}  // namespace

TEST_CASE("the partitioned search agrees with Dijkstra") {
  const auto device = open_simulator("simt:4x16");
  std::uint64_t number = 0;
  for (const graph::weight_type weights : {graph::weight_type::uint32, graph::weight_type::float32}) {
    for (const hard_graph& hard : hard_graphs(weights)) {
      search tried(*device, hard.graph);
      for (const std::string& label : configuration_labels) {
        CAPTURE(hard.name, label);
        if (!tests::in_share(number++)) continue;
        // Floats differ only in how they are added.
        if (weights == graph::weight_type::float32 && label != configuration_labels.back()) continue;
        // A hub needs more slots than a block of 64 threads holds.
        if (hard.graph.edge_count() > 4000 && label.find("threads=64") != std::string::npos) continue;
        if (!holds(label, hard.graph)) continue;
        tried.prepare(configuration_of(label));
        // The second run starts from the state that the first leaves.
        for (const graph::vertex_id source : hard.sources) CHECK(error_of_run(tried, hard.graph, source) == "");
      }
    }
  }
}

TEST_CASE("levels by the partitioned search are numbers of edges") {
  const auto device = open_simulator("simt:4x16");
  std::mt19937 draw(5);
  for (int round = 0; round < 6; ++round) {
    const graph::csr_graph graph = random_graph(draw);
    search tried(*device, graph, {}, search_kind::bfs);
    tried.prepare(configuration_of("solver=partitioned,threads=128,parts=3"));
    CHECK(error_of_run(tried, graph::with_unit_weights(graph), 0) == "");
  }
}

TEST_CASE("random tiny graphs have the same distances by any parts") {
  const auto device = open_simulator("simt:4x16");
  std::mt19937 draw(20261123);
  for (std::uint64_t round = 0; round < 40 * fuzz_factor(); ++round) {
    const graph::csr_graph graph = random_graph(draw);
    search tried(*device, graph);
    // Even and odd rounds try alternate halves of the labels.
    for (std::size_t i = round % 2; i < configuration_labels.size(); i += 2) {
      if (!tests::in_share(round + i / 2)) continue;
      const std::string& label = configuration_labels[i];
      CAPTURE(round, label);
      tried.prepare(configuration_of(label));
      for (int run = 0; run < 2; ++run) {
        CHECK(error_of_run(tried, graph,
                           std::uniform_int_distribution<graph::vertex_id>(0, graph.vertex_count() - 1)(draw)) == "");
      }
    }
  }
}

TEST_CASE("after a run that was stopped, the partitioned search is right again") {
  const auto real = open_simulator("simt:4x16");
  tampered_device device(*real);
  graph::edge_list edges;
  constexpr graph::vertex_id length = 1500;
  for (graph::vertex_id v = 0; v + 1 < length; ++v) edges.add(v, v + 1, 3);
  const graph::csr_graph path = graph::build_csr(length, edges);
  search tried(device, path);
  tried.prepare(configuration_of("solver=partitioned,threads=128,parts=3"));
  REQUIRE(error_of_run(tried, path, 0) == "");
  CHECK(tried.run(1, 1, 1e-3).result == db::outcome::timeout);
  CHECK(error_of_run(tried, path, 2) == "");
  device.fire_watchdog = true;
  CHECK(tried.run(1).result == db::outcome::timeout);
  device.fire_watchdog = false;
  CHECK(error_of_run(tried, path, 3) == "");
}

TEST_CASE("the partitioned search counts relaxed and sent elements") {
  const auto device = open_simulator("simt:4x16");
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  tried.prepare(configuration_of("solver=partitioned,threads=128,parts=1,slot_arcs=2"), instrumentation::counters);
  auto alone = counters_of(tried.run(0));
  CHECK(alone["pops"] >= hard.graph.vertex_count());
  CHECK(alone["distance_atomics"] == 2 * alone["pops"]);
  CHECK(alone["l2_writes"] == 0);
  tried.prepare(configuration_of("solver=partitioned,threads=128,parts=3,slot_arcs=2"), instrumentation::counters);
  auto shared = counters_of(tried.run(0));
  CHECK(shared["l2_writes"] > 0);
  // An element sent twice before it is read is taken once.
  CHECK(shared["l2_reads"] <= shared["l2_writes"]);
  CHECK(shared["l2_reads"] > 0);
}

TEST_CASE("parts hold each arc of the graph once") {
  std::mt19937 draw(3);
  for (int round = 0; round < 30; ++round) {
    const graph::csr_graph graph = random_graph(draw);
    std::map<std::tuple<u32, u32, u32>, unsigned> expected;
    for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
      for (auto e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
        ++expected[{v, graph.targets()[e], graph.weight_bits()[e]}];
      }
    }
    for (const unsigned parts : {1U, 2U, 7U}) {
      for (const problems::part_shape& shape : {problems::part_shape{1},
                                                {2},
                                                {5},
                                                {1, arc_layout::shared},
                                                {4, arc_layout::shared},
                                                {2, arc_layout::groups},
                                                {4, arc_layout::groups},
                                                {7, arc_layout::groups},
                                                {2, arc_layout::pulled_groups},
                                                {4, arc_layout::pulled_groups},
                                                {8, arc_layout::pulled_groups}}) {
        CAPTURE(round, parts, shape.slot_arcs, static_cast<int>(shape.layout));
        thread_team team(2);
        std::vector<u32> part_of = graph::partition(graph, equal_loads(graph), parts, team);
        // 2^20, and at most 8 bits for targets.
        const graph_parts partition = problems::parts_of(graph, std::move(part_of), parts, shape, team);
        const auto is_loop = [](const auto& arc) { return std::get<0>(arc.first) == std::get<1>(arc.first); };
        const auto is_idle = [&](const auto& arc) { return is_loop(arc) && std::get<2>(arc.first) == 0; };
        auto expected_arcs = expected;
        auto arcs = arcs_of(partition);
        if (shape.layout == arc_layout::shared) std::erase_if(expected_arcs, is_idle);
        // A loop whose row is continued is not recognised as a loop, and stays.
        if (shape.layout == arc_layout::pulled_groups) {
          std::erase_if(expected_arcs, is_loop);
          std::erase_if(arcs, is_loop);
        }
        CHECK(arcs == expected_arcs);
        auto vertices = partition.vertices;
        std::erase(vertices, no_vertex);
        std::ranges::sort(vertices);
        CHECK(vertices.size() == graph.vertex_count());
        CHECK(std::ranges::adjacent_find(vertices) == vertices.end());
        for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
          CHECK(partition.vertices.at(partition.parts.at(partition.part_of.at(v)).first_vertex +
                                      partition.place_of.at(v)) == v);
        }
      }
    }
  }
}

TEST_CASE("copies of hubs change no distance") {
  std::mt19937 draw(11);
  const auto below = [&](std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(draw);
  };
  thread_team team(2);
  for (int round = 0; round < 200; ++round) {
    const graph::csr_graph graph = random_graph(draw);
    const std::uint32_t n = graph.vertex_count();
    const unsigned parts = 1 + below(6);
    const problems::part_shape shape{.slot_arcs = 2, .hub_degree = 1 + below(6)};
    CAPTURE(round, parts, shape.hub_degree);
    std::vector<u32> part_of(n);
    for (u32& part : part_of) part = below(parts);
    const problems::graph_with_copies copied = problems::copy_hubs(graph, part_of, shape, team);
    REQUIRE(copied.part_of.size() == copied.graph.vertex_count());
    CHECK(std::equal(part_of.begin(), part_of.end(), copied.part_of.begin()));
    for (int tries = 0; tries < 3; ++tries) {
      const std::uint32_t source = below(n);
      std::vector<u32> distances = graph::dijkstra(copied.graph, source);
      distances.resize(n);
      CHECK(distances == graph::dijkstra(graph, source));
    }
    // A copy has arcs into its own part, and at most one to another part: to the hub.
    for (u32 copy = n; copy < copied.graph.vertex_count(); ++copy) {
      const auto row = copied.graph.targets().subspan(copied.graph.offsets()[copy],
                                                      copied.graph.offsets()[copy + 1] - copied.graph.offsets()[copy]);
      CHECK(row.size() >= 2);
      for (const u32 target : row.first(row.size() - 1)) CHECK(copied.part_of[target] == copied.part_of[copy]);
      CHECK((copied.part_of[row.back()] == copied.part_of[copy] || row.back() < n));
    }
  }
}

TEST_CASE("a partition with hubs is balanced, saves words between parts, and is the same for any number of threads") {
  const graph::csr_graph graph = graph::generate_power_law(3000, 12);
  const problems::part_shape shape{.slot_arcs = 4, .hub_degree = 100};
  REQUIRE(problems::has_hub(graph, shape));
  const auto parts_by = [&](unsigned threads) {
    thread_team team(threads);
    return problems::parts_of(graph, problems::partition_with_hubs(graph, 8, shape, team), 8, shape, team);
  };
  const graph_parts parts = parts_by(1);
  const graph_parts others = parts_by(4);
  CHECK(parts.arcs == others.arcs);
  CHECK(parts.vertices == others.vertices);
  CHECK(parts.out_words == others.out_words);
  u64 slots = 0;
  for (const graph_part& part : parts.parts) slots += part.slots;
  const auto words_of = [](const graph_parts& some_parts) {
    double words = 0;
    for (const graph_part& part : some_parts.parts) words += part.outbox;
    return words;
  };
  thread_team team(1);
  CHECK(words_of(parts) < 0.8 * words_of(problems::parts_of(graph, parts.part_of, 8, {4}, team)));
  CHECK(static_cast<double>(parts.most_slots()) < 1.15 * static_cast<double>(slots) / 8);
  auto vertices = parts.vertices;
  std::erase(vertices, no_vertex);
  std::ranges::sort(vertices);
  CHECK(vertices.size() == graph.vertex_count());
  CHECK(std::ranges::adjacent_find(vertices) == vertices.end());
}

TEST_CASE("searches from and through several hubs with parallel arcs agree with Dijkstra") {
  const auto device = open_simulator("simt:4x16");
  std::mt19937 draw(17);
  const auto below = [&](std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(draw);
  };
  constexpr std::uint32_t n = 400;
  constexpr std::uint32_t hubs = 3;
  for (const bool is_symmetric : {true, false}) {
    for (const graph::weight_type weights : {graph::weight_type::uint32, graph::weight_type::float32}) {
      graph::edge_list edges;
      for (std::uint32_t i = 0; i < 900; ++i) edges.add(below(hubs), below(n), 1 + below(50));
      for (std::uint32_t i = 0; i < 150; ++i) edges.add(below(n), below(hubs), 1 + below(50));
      for (std::uint32_t i = 0; i < 300; ++i) edges.add(below(n), below(n), 1 + below(50));
      // Two hubs that are connected many times, and loops.
      for (std::uint32_t i = 0; i < 20; ++i) edges.add(0, 1, 1 + below(50));
      for (std::uint32_t i = 0; i < 5; ++i) edges.add(2, 2, below(3));
      const graph::csr_graph graph =
          graph::with_weight_type(graph::build_csr(n, edges, {.symmetric = is_symmetric}), weights);
      search tried(*device, graph);
      for (const std::string label :
           {"threads=128,parts=4,slot_arcs=4,hub_degree=40", "threads=256,parts=4,slot_arcs=2,hub_degree=2",
            "threads=128,parts=4,slot_arcs=4,part_work=groups,hub_degree=40",
            "threads=256,parts=3,slot_arcs=4,part_work=pulled_groups,hub_degree=40",
            "threads=128,parts=4,slot_arcs=4,arcs=shared,hub_degree=40",
            "threads=128,parts=4,slot_arcs=3,part_order=window,part_window=0.5,hub_degree=40"}) {
        CAPTURE(is_symmetric, label);
        if (weights == graph::weight_type::float32 && !holds(label, graph)) continue;
        tried.prepare(configuration_of("solver=partitioned," + label));
        for (const graph::vertex_id source : {0U, 1U, 2U, n - 1}) CHECK(error_of_run(tried, graph, source) == "");
      }
    }
  }
}

TEST_CASE("a row of more than 4,096 edges is spread by default, and a shorter one is not") {
  const auto words_of = [](graph::vertex_id leaves) {
    graph::edge_list edges;
    for (graph::vertex_id v = 1; v <= leaves; ++v) edges.add(0, v, 1);
    const graph::csr_graph star = graph::build_csr(leaves + 1, edges);
    problems::part_store store(star);
    std::size_t words = 0;
    for (const graph_part& part : store.get(4, {2})->parts) words += part.outbox;
    const auto device = open_simulator("simt:4x16");
    search tried(*device, star);
    tried.prepare(configuration_of("solver=partitioned,threads=256,parts=4"));
    CHECK(error_of_run(tried, star, 0) == "");
    return words;
  };
  CHECK(words_of(4096) > 3000);
  // One to each copy. No arc leads to the hub.
  CHECK(words_of(4097) == 3);
}

TEST_CASE("a partition is balanced, cuts few edges and is always the same") {
  graph::edge_list edges;
  constexpr graph::vertex_id side = 60;
  for (graph::vertex_id y = 0; y < side; ++y) {
    for (graph::vertex_id x = 0; x < side; ++x) {
      if (x + 1 < side) edges.add(y * side + x, y * side + x + 1, 1);
      // Half of the edges have no reverse edge.
      if (y + 1 < side) edges.add((y + 1) * side + x, y * side + x, 1);
    }
  }
  const graph::csr_graph grid = graph::build_csr(side * side, edges);
  constexpr unsigned parts = 9;
  thread_team team(1);
  const std::vector<u32> part_of = graph::partition(grid, equal_loads(grid), parts, team);
  CHECK(part_of == graph::partition(grid, equal_loads(grid), parts, team));
  std::vector<unsigned> size(parts);
  for (const u32 part : part_of) ++size.at(part);
  CHECK(std::ranges::max(size) <= side * side / parts * 1.03);
  CHECK(std::ranges::min(size) > 0);
  unsigned cut = 0;
  for (graph::vertex_id v = 0; v < grid.vertex_count(); ++v) {
    for (auto e = grid.offsets()[v]; e < grid.offsets()[v + 1]; ++e)
      cut += part_of[v] != part_of[grid.targets()[e]] ? 1 : 0;
  }
  // Nine squares cut 240 edges, random parts 6293.
  CHECK(cut < 560);

  CHECK(graph::partition(grid, equal_loads(grid), 1, team) == std::vector<u32>(grid.vertex_count(), 0));
  const graph::csr_graph few = graph::build_csr(3, {});
  for (const u32 part : graph::partition(few, equal_loads(few), 8, team)) CHECK(part < 8);
}

TEST_CASE("parts do not depend on the number of threads") {
  // Large enough for clusters that grow in several regions; in random order there is one region.
  const graph::csr_graph road = graph::generate_road(16);
  REQUIRE(road.vertex_count() > 50'000);
  for (const graph::csr_graph& graph : {road, graph::with_shuffled_vertices(road)}) {
    for (const problems::part_shape& shape : {problems::part_shape{3}, {4, arc_layout::pulled_groups}}) {
      const auto parts_by = [&](unsigned threads) {
        thread_team team(threads);
        return problems::parts_of(graph, graph::partition(graph, equal_loads(graph), 30, team), 30, shape, team);
      };
      const graph_parts expected = parts_by(1);
      for (const unsigned threads : {2U, 5U}) {
        const graph_parts parts = parts_by(threads);
        CHECK(parts.part_of == expected.part_of);
        CHECK(parts.place_of == expected.place_of);
        CHECK(parts.vertices == expected.vertices);
        CHECK(parts.slot_vertices == expected.slot_vertices);
        CHECK(parts.arcs == expected.arcs);
        CHECK(parts.packed_arcs == expected.packed_arcs);
        CHECK(parts.out_words == expected.out_words);
        CHECK(parts.in_vertices == expected.in_vertices);
        CHECK(parts.largest_sum == expected.largest_sum);
      }
      // The clusters of regions fit together: a random partition of the road cuts 97 % of its edges.
      std::size_t cut = 0;
      for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
        for (auto e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
          cut += expected.part_of[v] != expected.part_of[graph.targets()[e]] ? 1 : 0;
        }
      }
      CHECK(static_cast<double>(cut) < 0.025 * static_cast<double>(graph.edge_count()));
    }
  }
}

TEST_CASE("only where a sum cannot saturate, the partitioned search does without a check") {
  const auto exact = [](std::uint32_t weight) {
    graph::edge_list edges;
    for (graph::vertex_id v = 0; v < 3; ++v) edges.add(v, v + 1, weight);
    const graph::csr_graph graph = graph::build_csr(4, edges);
    thread_team team(1);
    return problems::parts_of(graph, std::vector<u32>(4, 0), 1, {2}, team).has_exact_sums();
  };
  // Three edges, plus one that is tried from the last vertex.
  CHECK(exact((graph::saturated_distance - 1) / 4));
  CHECK_FALSE(exact(graph::saturated_distance / 4 + 1));
  const auto device = open_simulator("simt:4x16");
  graph::edge_list edges;
  for (graph::vertex_id v = 0; v < 4; ++v) edges.add(v, v + 1, 1U << 31);
  const graph::csr_graph far = graph::build_csr(5, edges);
  search tried(*device, far);
  tried.prepare(configuration_of("solver=partitioned,threads=64"));
  REQUIRE(tried.run(0).message.empty());
  CHECK(tried.instance().distances().back() == graph::saturated_distance);
}

TEST_CASE("groups tell distances below 2^31 - 2 apart, and say where one is farther") {
  constexpr std::uint32_t step = 6'000'000;
  // Uses heavier parallel edges: the sum of the heaviest is beyond the limit.
  const auto chain_of = [](graph::vertex_id steps) {
    graph::edge_list edges;
    for (graph::vertex_id v = 0; v < steps; ++v) {
      edges.add(v, v + 1, step);
      edges.add(v, v + 1, step + step / 3);
    }
    return graph::build_csr(steps + 1, edges);
  };
  const auto device = open_simulator("simt:4x16");
  for (const std::string work : {"groups", "pulled_groups"}) {
    const std::string label = "solver=partitioned,threads=64,parts=2,slot_arcs=2,part_work=" + work;
    const graph::csr_graph near = chain_of(357);
    search tried(*device, near);
    tried.prepare(configuration_of(label));
    CHECK(error_of_run(tried, near, 0) == "");
    const graph::csr_graph far = chain_of(358);
    search beyond(*device, far);
    beyond.prepare(configuration_of(label));
    const tuner::run_report report = beyond.run(0);
    CHECK(report.result == db::outcome::overflow);
    CHECK_THAT(report.message, Catch::Contains("2147483646") && Catch::Contains("part_work=sweeps"));
    // From another source it is not as far.
    CHECK(error_of_run(beyond, far, 3) == "");
  }
}

TEST_CASE("the partitioned search refuses unsupported input with the reason") {
  const auto device = open_simulator("simt:4x16");
  const auto star_of = [](graph::vertex_id leaves) {
    graph::edge_list edges;
    for (graph::vertex_id v = 1; v <= leaves; ++v) edges.add(0, v, 1);
    return graph::build_csr(leaves + 1, edges);
  };
  const graph::csr_graph star = star_of(4096);
  search tried(*device, star);
  CHECK_THROWS_WITH(tried.prepare(configuration_of("solver=partitioned,threads=64,parts=1,slot_arcs=1")),
                    Catch::Contains("8192 slots of 1 arcs, but 32 threads hold at most 4096"));
  for (const std::string work : {"groups", "pulled_groups"}) {
    search in_groups(*device, star);
    CHECK_THROWS_WITH(
        in_groups.prepare(configuration_of("solver=partitioned,threads=64,parts=1,part_work=" + work)),
        Catch::Contains("groups of 32 vertices, but 1 warps handle at most 32: choose more threads or parts"));
    CHECK_THROWS_WITH(configuration_of("solver=partitioned,slot_arcs=1,part_work=" + work),
                      Catch::Contains("part_work=" + work + ",slot_arcs=1 violates the limit"));
  }
  const graph::csr_graph path = graph::build_csr(3, {});
  search in_many(*device, path);
  CHECK_THROWS_WITH(in_many.prepare(configuration_of("solver=partitioned,threads=64,parts=600")),
                    Catch::Contains("resident"));
  const graph::csr_graph heavy = graph::build_csr(2, [] {
    graph::edge_list single_edge;
    single_edge.add(0, 1, 1U << 31);
    return single_edge;
  }());
  search packed(*device, heavy);
  CHECK_THROWS_WITH(packed.prepare(configuration_of("solver=partitioned,threads=64,arcs=shared")),
                    Catch::Contains("an arc of weight 2147483648") && Catch::Contains("choose arcs=registers"));
  const graph::csr_graph wide = graph::with_weight_type(star, graph::weight_type::float64);
  search in_doubles(*device, wide);
  CHECK_THROWS_WITH(in_doubles.prepare(configuration_of("solver=partitioned")), Catch::Contains("4 bytes"));
}
