// SPDX-License-Identifier: Apache-2.0
#include "graph/reduction.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <random>
#include <set>
#include <type_traits>

#include "base/error.hpp"
#include "graph/adversarial.hpp"
#include "graph/generate.hpp"
#include "graph/reduced_graph.hpp"
#include "graph/reference.hpp"
#include "graph/undirected_rows.hpp"
#include "graph/weight_traits.hpp"
#include "tests/oracle/chain_graph.hpp"
#include "tests/oracle/tiny_graph.hpp"

using namespace mlmq;
using namespace mlmq::graph;
using Catch::Contains;

namespace {

constexpr std::array kinds{eliminated_vertices::leaves, eliminated_vertices::chains, eliminated_vertices::low_degree};

const char* name_of(eliminated_vertices kind) {
  switch (kind) {
    case eliminated_vertices::leaves:
      return "leaves";
    case eliminated_vertices::chains:
      return "chains";
    case eliminated_vertices::low_degree:
      break;
  }
  return "low degree";
}

std::size_t most_neighbours(eliminated_vertices kind) {
  if (kind == eliminated_vertices::low_degree) return 6;
  return kind == eliminated_vertices::chains ? 2 : 1;
}

template <class Bits>
auto distances_in(const csr_graph& graph, vertex_id source) {
  if constexpr (sizeof(Bits) == 8) {
    return wide_dijkstra(graph, source);
  } else {
    return dijkstra(graph, source);
  }
}

/// Searches the core from the seeds, correcting distances until none can be lowered.
template <class Bits>
std::vector<Bits> search_core(const csr_graph& core, const std::vector<seed_vertex>& seeds) {
  std::vector<Bits> distances(core.vertex_count(), static_cast<Bits>(-1));
  std::deque<vertex_id> queue;
  const auto reach = [&](vertex_id v, Bits distance) {
    if (distance >= distances[v]) return;
    distances[v] = distance;
    queue.push_back(v);
  };
  for (const seed_vertex& each : seeds) reach(each.vertex, static_cast<Bits>(each.distance));
  with_weight_traits(core.weights(), [&]<class Traits>(Traits) {
    if constexpr (std::is_same_v<typename Traits::bits, Bits>) {
      for (; !queue.empty(); queue.pop_front()) {
        const vertex_id v = queue.front();
        for (edge_offset e = core.offsets()[v]; e < core.offsets()[v + std::size_t{1}]; ++e) {
          reach(core.targets()[e], Traits::extend(distances[v], Traits::weights_of(core)[e]));
        }
      }
    }
  });
  return distances;
}

double relative_error(double distance, double expected) {
  if (distance == expected) return 0;
  return std::abs(distance - expected) / std::max(distance, expected);
}

/// Compares the distances by a reduced graph with those of Dijkstra. Integers must be equal; sums of floats in another
/// order are rounded differently.
template <class Bits>
void check_distances(const reduced_graph& reduced, const csr_graph& graph, vertex_id source) {
  start_finder<Bits> starts(graph, reduced.structure().places());
  const core_start<Bits>& start = starts.find(std::array{seed_vertex{.vertex = source, .distance = 0}});
  std::vector<Bits> distances(graph.vertex_count(), 77);
  std::vector<Bits> of_core = search_core<Bits>(reduced.core(), start.seeds);
  of_core.push_back(static_cast<Bits>(-1));
  const std::size_t middle = distances.size() / 2;
  reduced.fill_in<Bits>(start, of_core, distances, middle, distances.size());
  reduced.fill_in<Bits>(start, of_core, distances, 0, middle);
  reduced.fill_in_fragment<Bits>(start, distances);
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    REQUIRE(std::min(reduced.distance_of<Bits>(start, of_core, v), starts.length_inside(v)) == distances[v]);
  }
  const std::vector<Bits> expected = distances_in<Bits>(graph, source);
  if (graph.weights() == weight_type::uint32) {
    REQUIRE(distances == expected);
    return;
  }
  const double rounding = sizeof(Bits) == 8 ? 0x1p-53 : 0x1p-24;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    REQUIRE((distances[v] == static_cast<Bits>(-1)) == (expected[v] == static_cast<Bits>(-1)));
    if (expected[v] == static_cast<Bits>(-1)) continue;
    const auto number = [&](Bits bits) {
      if constexpr (sizeof(Bits) == 8)
        return distance_value(bits);
      else
        return distance_value(graph.weights(), bits);
    };
    REQUIRE(relative_error(number(distances[v]), number(expected[v])) <= rounding * graph.vertex_count());
  }
}

void check_from(const reduced_graph& reduced, const csr_graph& graph, vertex_id source) {
  if (graph.weights() == weight_type::float64) return check_distances<wide_distance_bits>(reduced, graph, source);
  check_distances<distance_bits>(reduced, graph, source);
}

std::shared_ptr<const reduction> reduce(const csr_graph& graph, eliminated_vertices kind, thread_team& team) {
  return std::make_shared<const reduction>(reduction::make(graph, kind, team));
}

/// Checks every property of a reduction that reduction.hpp promises.
void check_structure(const csr_graph& graph, eliminated_vertices kind, thread_team& team) {
  const reduction reduced = reduction::make(graph, kind, team);
  REQUIRE(reduced.core_size() + std::size_t{reduced.eliminated_count()} == graph.vertex_count());
  std::vector<std::set<vertex_id>> rows(graph.vertex_count());
  const undirected_rows undirected = to_undirected(graph, team);
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    rows[v] = {undirected.row(v).begin(), undirected.row(v).end()};
  }
  for (std::size_t i = 0; i < reduced.fragment_count(); ++i) {
    const std::span<const std::uint32_t> ends = reduced.ends_of(i);
    REQUIRE(reduced.first_of(i) < reduced.first_of(i + 1));
    for (std::uint32_t position = reduced.first_of(i); position < reduced.first_of(i + 1); ++position) {
      const vertex_id v = reduced.eliminated()[position];
      REQUIRE(reduced.place(v) == position);
      REQUIRE(reduced.fragment_of(position) == i);
      std::set<vertex_id> neighbours;
      for (const std::uint32_t place : reduced.neighbours_of(position)) {
        if (place == reduction::no_neighbour) continue;
        const bool is_end = reduction::is_in_core(place);
        const std::uint32_t number = place & ~reduction::core_flag;
        if (is_end) REQUIRE(std::ranges::count(ends, place) == 1);
        if (!is_end) REQUIRE((number > position && number < reduced.first_of(i + 1)));
        neighbours.insert(is_end ? reduced.core()[number] : reduced.eliminated()[number]);
      }
      REQUIRE(rows[v] == neighbours);
      REQUIRE(neighbours.size() <= most_neighbours(kind));
      REQUIRE(std::ranges::is_sorted(reduced.neighbours_of(position)));
      for (const vertex_id u : neighbours) {
        rows[u].erase(v);
        for (const vertex_id other : neighbours) {
          if (other != u) rows[u].insert(other);
        }
      }
    }
  }
  for (vertex_id i = 0; i < reduced.core_size(); ++i) {
    std::set<vertex_id> neighbours;
    for (const vertex_id u : reduced.core_rows().row(i)) neighbours.insert(reduced.core()[u]);
    REQUIRE(rows[reduced.core()[i]] == neighbours);
  }
  if (graph.vertex_count() > 1024) return;  // larger graphs may keep some
  for (const vertex_id v : reduced.core()) {
    REQUIRE((kind == eliminated_vertices::low_degree || rows[v].size() > most_neighbours(kind)));
  }
}

csr_graph with_type(const csr_graph& graph, weight_type type) {
  if (type == weight_type::uint32) return graph;
  std::vector<double> numbers;
  for (edge_offset e = 0; e < graph.edge_count(); ++e) numbers.push_back(graph.weight(e) / 7);
  return with_weight_type(graph.with_weights(std::move(numbers)), type);
}

}  // namespace

TEST_CASE("vertices with few neighbours are eliminated, and no others") {
  thread_team team(2);
  for (const eliminated_vertices kind : kinds) {
    CAPTURE(name_of(kind));
    for (const csr_graph& graph : {csr_graph(), generate_path(100), generate_cycle(100), generate_star(50),
                                   generate_grid2d(2, 40), generate_road(12), generate_rmat(10), generate_web(10)}) {
      check_structure(graph, kind, team);
    }
    for (const std::string_view name : adversarial_names()) {
      CAPTURE(name);
      check_structure(adversarial_graph(name, weight_type::uint32), kind, team);
    }
    for (std::uint64_t seed = 1; seed <= 300; ++seed) check_structure(oracle::chains_of_all_kinds(seed), kind, team);
  }
}

TEST_CASE("what has no core is eliminated completely, and searches inside it need none") {
  thread_team team(1);
  for (const csr_graph& graph : {generate_path(1000), generate_cycle(77), generate_star(20), generate_grid2d(2, 30)}) {
    const reduced_graph reduced(reduce(graph, eliminated_vertices::chains, team), graph, team);
    CHECK(reduced.core().vertex_count() == 0);
    for (vertex_id source = 0; source < graph.vertex_count(); ++source) check_from(reduced, graph, source);
  }
}

TEST_CASE("the depth of the eliminations of a chain or a dead end is the logarithm of its length") {
  thread_team team(1);
  for (const csr_graph& graph : {generate_cycle(100'000), generate_path(100'000)}) {
    const reduction reduced = reduction::make(graph, eliminated_vertices::chains, team);
    CHECK(reduced.eliminated_count() == graph.vertex_count());
    std::vector<unsigned> depths(reduced.eliminated_count(), 0);
    unsigned deepest = 0;
    for (std::uint32_t i = 0; i < reduced.eliminated_count(); ++i) {
      deepest = std::max(deepest, depths[i]);
      for (const std::uint32_t neighbour : reduced.neighbours_of(i)) {
        if (!reduction::is_in_core(neighbour)) depths[neighbour] = std::max(depths[neighbour], depths[i] + 1);
      }
    }
    CHECK(deepest <= 23);
  }
}

TEST_CASE("all distances of all graphs with four vertices are those of Dijkstra") {
  thread_team team(1);
  constexpr std::array<std::array<vertex_id, 2>, 12> pairs{
      {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 3}, {3, 0}, {3, 1}, {3, 2}}};
  for (unsigned present = 0; present < 4096; ++present) {
    std::vector<edge_offset> offsets{0, 0, 0, 0, 0};
    std::vector<vertex_id> targets;
    std::vector<std::uint32_t> weights;
    for (unsigned i = 0; i < pairs.size(); ++i) {
      if ((present >> i & 1) == 0) continue;
      targets.push_back(pairs[i][1]);
      weights.push_back((present * 7 + i * 5) % 11);
      for (std::size_t v = pairs[i][0] + std::size_t{1}; v < offsets.size(); ++v) ++offsets[v];
    }
    const csr_graph graph(offsets, targets, weights);
    for (const eliminated_vertices kind : kinds) {
      const reduced_graph reduced(reduce(graph, kind, team), graph, team);
      for (vertex_id source = 0; source < 4; ++source) check_from(reduced, graph, source);
    }
  }
}

TEST_CASE("all distances of chains of all kinds are those of Dijkstra, also after the weights have changed") {
  thread_team team(2);
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    CAPTURE(seed);
    const csr_graph shape = oracle::chains_of_all_kinds(seed);
    for (const weight_type type : {weight_type::uint32, weight_type::float32, weight_type::float64}) {
      const csr_graph graph = with_type(shape, type);
      const auto structure = reduce(graph, kinds.at(seed % 3), team);
      const reduced_graph reduced(structure, graph, team);
      for (vertex_id source = 0; source < graph.vertex_count(); source += 1 + static_cast<vertex_id>(seed % 3)) {
        check_from(reduced, graph, source);
      }
      const csr_graph changed = with_type(with_adversarial_weights(shape, weight_type::uint32), type);
      const reduced_graph again(structure, changed, team);
      for (vertex_id source = 0; source < graph.vertex_count(); source += 4) check_from(again, changed, source);
    }
  }
}

TEST_CASE("random graphs of few vertices with all difficult weights are reduced, or refused because of long chains") {
  thread_team team(1);
  unsigned refused = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    const csr_graph graph = oracle::random_tiny_graph(seed).csr();
    if (graph.weights() != weight_type::uint32) continue;
    for (const eliminated_vertices kind : kinds) {
      try {
        const reduced_graph reduced(reduce(graph, kind, team), graph, team);
        for (vertex_id source = 0; source < graph.vertex_count(); ++source) check_from(reduced, graph, source);
      } catch (const input_error& error) {
        ++refused;
        CHECK_THAT(error.what(), Contains("the length of a chain is too long for a weight"));
      }
    }
  }
  CHECK(refused > 0);
  CHECK(refused < 400);
}

TEST_CASE("distances by the core of a core are those of Dijkstra, also after the weights have changed") {
  thread_team team(2);
  std::vector<csr_graph> graphs{generate_road(14), generate_web(11), generate_rmat(9), generate_grid2d(6, 80)};
  for (std::uint64_t seed = 1; seed <= 90; ++seed) graphs.push_back(oracle::chains_of_all_kinds(seed));
  std::size_t several_seeds = 0;
  for (const csr_graph& shape : graphs) {
    const auto structure = reduce(shape, eliminated_vertices::chains, team);
    std::shared_ptr<const reduction> of_core;
    for (const csr_graph& graph : {shape, with_adversarial_weights(shape, weight_type::uint32)}) {
      const reduced_graph outer(structure, graph, team);
      if (of_core == nullptr) of_core = reduce(outer.core(), eliminated_vertices::low_degree, team);
      const reduced_graph inner(of_core, outer.core(), team);
      std::vector<start_finder<distance_bits>> finders;
      finders.emplace_back(graph, structure->places());
      finders.emplace_back(outer.core(), of_core->places());
      for (vertex_id source = 0; source < graph.vertex_count(); source += 1 + graph.vertex_count() / 20) {
        const auto seeds = find_seeds<distance_bits>(finders, source);
        REQUIRE(seeds.size() <= 12);
        several_seeds += seeds.size() > 2 ? 1 : 0;
        auto distances = search_core<distance_bits>(inner.core(), {seeds.begin(), seeds.end()});
        for (const reduced_graph* const reduced : {&inner, &outer}) {
          distances.push_back(unreached);
          const std::vector<distance_bits> of_smaller = std::move(distances);
          const auto& start = finders[reduced == &outer ? 0 : 1].last();
          distances.assign(reduced->structure().vertex_count(), 77);
          reduced->fill_in<distance_bits>(start, of_smaller, distances, 0, distances.size());
          reduced_graph::fill_in_fragment<distance_bits>(start, distances);
        }
        REQUIRE(distances == dijkstra(graph, source));
      }
    }
  }
  CHECK(several_seeds > 100);
}

TEST_CASE("low degrees are eliminated in fragments of limited size, and leave few vertices of a road network") {
  thread_team team(1);
  for (const csr_graph& graph : {generate_road(14), generate_grid2d(5, 2000), generate_path(5000)}) {
    const reduction reduced = reduction::make(graph, eliminated_vertices::low_degree, team);
    CHECK(reduced.core_size() < graph.vertex_count() / 2);
    for (std::size_t i = 0; i < reduced.fragment_count(); ++i)
      CHECK(reduced.first_of(i + 1) - reduced.first_of(i) <= 2048);
  }
}

TEST_CASE("distances in larger graphs are those of Dijkstra") {
  thread_team team(2);
  for (const csr_graph& graph : {generate_road(14), generate_web(11), generate_rmat(11), generate_power_law(3000, 4)}) {
    for (const eliminated_vertices kind : kinds) {
      const reduced_graph reduced(reduce(graph, kind, team), graph, team);
      std::mt19937 random(1);
      for (unsigned i = 0; i < 12; ++i) {
        check_from(reduced, graph, static_cast<vertex_id>(random() % graph.vertex_count()));
      }
    }
  }
}
