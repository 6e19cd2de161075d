// SPDX-License-Identifier: Apache-2.0
// Decimal weights are searched as whole numbers: every form of answer against an own search in units.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "mlmq/mlmq.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

constexpr double no_path = std::numeric_limits<double>::infinity();

/// A random graph whose weights are whole numbers of 10^-places.
struct decimal_graph {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<vertex> targets = {};
  std::vector<std::uint64_t> counts = {};  ///< weights in units
  unsigned places;
  double units;

  explicit decimal_graph(unsigned seed) : places(seed % 5), units(std::pow(10.0, places)) {
    std::mt19937 generator(seed);
    const auto below = [&](vertex limit) { return static_cast<vertex>(generator() % limit); };
    const vertex vertices = 2 + below(30);
    for (vertex v = 0; v < vertices; ++v) {
      for (vertex edges = below(5); edges > 0; --edges) {
        targets.push_back(below(vertices));
        counts.push_back(below(3) == 0 ? 1 : below(4000));
      }
      offsets.push_back(targets.size());
    }
    // All decimal places are in use.
    targets.push_back(0);
    counts.push_back(1);
    ++offsets.back();
  }

  [[nodiscard]] vertex vertices() const { return static_cast<vertex>(offsets.size() - 1); }
  [[nodiscard]] std::vector<double> weights() const {
    std::vector<double> result;
    for (const std::uint64_t count : counts) result.push_back(static_cast<double>(count) / units);
    return result;
  }
  [[nodiscard]] digraph open() const {
    return digraph::from_rows(offsets, targets, weights(), "decimals").with_decimal_places();
  }

  /// Returns all distances from a vertex as decimals, by relaxing all edges until nothing changes.
  [[nodiscard]] std::vector<double> distances_from(vertex source) const {
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::vector<std::uint64_t> distances(vertices(), none);
    distances[source] = 0;
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (vertex v = 0; v < vertices(); ++v) {
        if (distances[v] == none) continue;
        for (std::uint64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
          const std::uint64_t longer = distances[v] + counts[e];
          if (longer >= distances[targets[e]]) continue;
          distances[targets[e]] = longer;
          has_changed = true;
        }
      }
    }
    std::vector<double> result;
    for (const std::uint64_t count : distances)
      result.push_back(count == none ? no_path : static_cast<double>(count) / units);
    return result;
  }
};

std::vector<double> values_of(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

/// Reads device memory of the simulator, which is host memory.
std::vector<double> values_at(const void* address, std::size_t count) {
  const auto* const first = static_cast<const double*>(address);
  return {first, first + count};
}

}  // namespace

TEST_CASE("every form of answer for decimal weights has the doubles nearest to the exact sums") {
  for (unsigned seed = 1; seed <= 48; ++seed) {
    if (!tests::in_share(seed)) continue;
    const decimal_graph plain(seed);
    const digraph graph = plain.open();
    CAPTURE(seed, plain.places);
    REQUIRE(graph.weight_type() == number_type::float64);
    REQUIRE(graph.decimal_places() == plain.places);
    std::vector<vertex> vertices(graph.vertex_count());
    std::iota(vertices.begin(), vertices.end(), vertex{0});
    std::vector<std::vector<double>> right;
    for (const vertex source : vertices) right.push_back(plain.distances_from(source));
    const double limit = right[0][seed % right[0].size()];
    const double cutoff = std::isinf(limit) ? 0.3 : limit;

    for (const char* device_name : {"simt", "cpu:2"}) {
      CAPTURE(device_name);
      const bool has_memory = std::string(device_name) == "simt";
      solver searches(device(device_name), graph);
      for (const vertex source : {vertex{0}, static_cast<vertex>(vertices.size() - 1)}) {
        const solution answer = searches.solve(source);
        CHECK(answer.type() == number_type::float64);
        CHECK(values_of(answer.distances_float64()) == right[source]);
        CHECK(answer.check().empty());
        for (const vertex v : vertices) CHECK(answer.distance(v) == right[source][v]);
        for (const vertex v : vertices) CHECK(answer.path(v).empty() == std::isinf(right[source][v]));
        std::vector<double> written(vertices.size());
        (void)searches.solve_into(source, std::span(written));
        CHECK(written == right[source]);
        if (!has_memory) continue;
        const solution resident = searches.solve(source, {.keep_on_device = true});
        CHECK(resident.device_distances().type == number_type::float64);
        CHECK(values_at(resident.device_distances().data, vertices.size()) == right[source]);
        CHECK(values_of(resident.distances_float64()) == right[source]);
        CHECK(resident.check().empty());
      }

      std::vector<std::vector<double>> rows;
      const auto take = [&](const distance_rows& block) {
        REQUIRE(block.type == number_type::float64);
        for (std::size_t row = 0; row < block.rows; ++row) {
          const std::size_t first = row * block.columns;
          rows.push_back(block.on_device != nullptr
                             ? values_at(static_cast<const double*>(block.on_device) + first, block.columns)
                             : values_of(block.float64.subspan(first, block.columns)));
        }
      };
      (void)searches.solve_many(vertices, {.check = true}, take);
      CHECK(rows == right);
      if (has_memory) {
        rows.clear();
        (void)searches.solve_many(vertices, {.keep_on_device = true}, take);
        CHECK(rows == right);
      }
      rows.clear();
      (void)searches.solve_many(vertices, {.targets = {1, 0}, .cutoff = cutoff, .check = true}, take);
      for (const vertex source : vertices) {
        for (const vertex target : {vertex{1}, vertex{0}}) {
          const double exact = right[source][target];
          CHECK(rows[source][1 - target] == (exact <= cutoff ? exact : no_path));
        }
      }

      const std::vector<reduction> reductions{reduction::within({cutoff / 2, cutoff + 1}),
                                              reduction::closeness(),
                                              reduction::eccentricity(),
                                              reduction::nearest({1, 0}, 2),
                                              reduction::decayed(decay::exponential, 1.5),
                                              reduction::decayed(decay::gaussian, 1.5),
                                              reduction::decayed(decay::linear, 1.5)};
      const reduced_searches reduced = searches.reduce(vertices, reductions, {.check = true});
      for (const vertex source : vertices) {
        double within = 0;
        double sum = 0;
        double farthest = 0;
        double decayed = 0;
        for (const double d : right[source]) {
          if (std::isinf(d)) continue;
          within += d <= cutoff / 2 ? 1 : 0;
          sum += d;
          farthest = std::max(farthest, d);
          decayed += std::exp(-d / 1.5);
        }
        CHECK(reduced.tables[0].value(source, 0) == within);
        CHECK(reduced.tables[1].value(source, 0) == Approx(sum).epsilon(1e-12));
        CHECK(reduced.tables[2].value(source, 0) == farthest);
        CHECK(reduced.tables[3].value(source, 0) == std::min(right[source][0], right[source][1]));
        CHECK(reduced.tables[4].value(source, 0) == Approx(decayed).epsilon(1e-6));
      }

      const std::vector<vertex> sources(vertices.size(), 0);
      CHECK(searches.solve_pairs(sources, vertices, {.check = true}).distances == right[0]);
      const std::vector<std::uint32_t> quantities(graph.edge_count(), 1);
      CHECK(searches.sum_pair_paths(sources, vertices, quantities, {.check = true}).distances == right[0]);
    }
    const solution backward = solver(device("cpu:1"), graph.reversed()).solve(0);
    for (const vertex v : vertices) CHECK(backward.distance(v) == right[v][0]);
  }
}

TEST_CASE("every solver answers for decimal weights") {
  const decimal_graph plain(9);
  const std::vector<double> right = plain.distances_from(0);
  const std::vector<vertex> sources = {0};
  for (const auto& [device_name, label] :
       {std::pair{"simt", ""}, std::pair{"simt", "solver=partitioned"}, std::pair{"simt", "solver=near_far"},
        std::pair{"cpu:2", "solver=delta_stepping"}}) {
    CAPTURE(label);
    solver searches(device(device_name), plain.open());
    CHECK(values_of(searches.solve(0, {.configurations = {label}}).distances_float64()) == right);
  }
  for (const auto& [device_name, label] :
       {std::pair{"simt", "solver=block,threads=32,blocks=1"}, std::pair{"simt", "solver=group,threads=32,blocks=1"},
        std::pair{"simt", "solver=hierarchy,threads=32,blocks=1"},
        std::pair{"simt", "solver=supernode,threads=32,blocks=1"}, std::pair{"cpu:2", "solver=cpu_hierarchy"}}) {
    CAPTURE(label);
    solver searches(device(device_name), plain.open());
    std::vector<double> row;
    (void)searches.solve_many(sources, {.configurations = {label}, .check = true},
                              [&](const distance_rows& block) { row = values_of(block.float64); });
    CHECK(row == right);
  }
}

TEST_CASE("new weights of a graph with decimal places may have other places, or none") {
  decimal_graph plain(8);
  REQUIRE(plain.places == 3);
  for (const char* device_name : {"simt", "cpu:2"}) {
    solver searches(device(device_name), plain.open());
    const std::vector<vertex> sources = {0, 1};
    const auto closeness = [&] {
      return searches.reduce(sources, std::vector{reduction::closeness()}).tables[0].value(0, 0);
    };
    const auto right_sum = [&](double factor) {
      double sum = 0;
      for (const double d : plain.distances_from(0)) sum += std::isinf(d) ? 0 : d * factor;
      return sum;
    };
    CHECK(closeness() == Approx(right_sum(1)));
    for (const double factor : {0.1, std::acos(-1.0), 1e7, 10.0}) {
      CAPTURE(device_name, factor);
      std::vector<double> weights;
      for (const std::uint64_t count : plain.counts)
        weights.push_back(factor == 0.1 ? static_cast<double>(count) / 1e4
                                        : static_cast<double>(count) / plain.units * factor);
      searches.update_weights(weights);
      const solution answer = searches.solve(0);
      CHECK(answer.type() == number_type::float64);
      CHECK(answer.check().empty());
      const std::vector<double> right = plain.distances_from(0);
      for (vertex v = 0; v < plain.vertices(); ++v) {
        if (std::isinf(right[v])) continue;
        CHECK(answer.distance(v) == Approx(right[v] * factor).epsilon(1e-12));
      }
      CHECK(closeness() == Approx(right_sum(factor)).epsilon(1e-12));
      std::vector<double> written(plain.vertices());
      (void)searches.solve_into(0, std::span(written));
      CHECK(written == values_of(answer.distances_float64()));
    }
    const std::vector<std::uint32_t> integers(plain.counts.size(), 1);
    CHECK_THROWS_WITH(searches.update_weights(integers),
                      Contains("new weights of type uint32: those of the graph are float64"));
  }
}

TEST_CASE("weights without decimal places stay floats") {
  const auto places_of = [](double first, double second) {
    return digraph::from_rows({0, 1, 2, 2}, {1, 2}, std::vector<double>{first, second})
        .with_decimal_places()
        .decimal_places();
  };
  CHECK(places_of(1, 2) == 0u);
  CHECK(places_of(0.1, 0.2) == 1u);
  CHECK(places_of(0.25, 1e-9) == 9u);
  CHECK(places_of(0.1 + 0.2, 1) == std::nullopt);
  CHECK(places_of(1.0 / 3, 1) == std::nullopt);
  CHECK(places_of(1e-10, 1) == std::nullopt);
  CHECK(places_of(4e9, 1) == 0u);
  CHECK(places_of(4e9, 4e9) == std::nullopt);
  CHECK(places_of(4e8, 0.01) == std::nullopt);
  CHECK(digraph::from_rows({0, 1, 1}, {1}, std::vector<std::uint32_t>{3}).with_decimal_places().weight_type() ==
        number_type::uint32);
  const digraph bfs_graph = decimal_graph(3).open();
  solver levels(device("cpu:1"), bfs_graph, problem::bfs);
  CHECK(levels.solve(0).type() == number_type::uint32);
}

TEST_CASE("a table of decimals is read as whole numbers, and a requested type is kept") {
  const tests::scratch_folder folder;
  const std::string file = folder.write("roads.csv", "from,to,seconds\n0,1,0.1\n1,2,0.2\n0,2,0.4\n");
  const digraph exact = digraph::open(file);
  CHECK(exact.decimal_places() == 1u);
  CHECK_THAT(exact.notes().at(1), Contains("decimal weights are searched as whole multiples of 0.1"));
  CHECK(solver(device("cpu:1"), exact).solve(0).distance(2) == 0.3);
  const digraph wide = digraph::open(file, {.weight_type = number_type::float64});
  CHECK(wide.decimal_places() == std::nullopt);
  CHECK(solver(device("cpu:1"), wide).solve(0).distance(2) == 0.1 + 0.2);
  CHECK(digraph::open(file, {.weight_type = number_type::float32}).weight_type() == number_type::float32);
}
