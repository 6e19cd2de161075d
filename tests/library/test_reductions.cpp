// SPDX-License-Identifier: Apache-2.0
// Quantities of searches and distances of pairs in the library: against the distances of solve_many(), and refused
// input.
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "backends/backend.hpp"
#include "library/block_readers.hpp"
#include "mlmq/mlmq.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::vector<double>> distances_of(solver& searches, std::span<const vertex> sources,
                                              const batch_options& options = {}) {
  std::vector<std::vector<double>> rows;
  searches.solve_many(sources, options, [&](const distance_rows& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::vector<double>& row = rows.emplace_back();
      for (std::size_t j = 0; j < block.columns; ++j) row.push_back(block.at(i, j));
    }
  });
  return rows;
}

/// Opportunities that are no whole numbers, none at every third vertex.
std::vector<double> some_opportunities(const digraph& graph) {
  std::vector<double> opportunities(graph.vertex_count());
  for (vertex v = 0; v < graph.vertex_count(); ++v) opportunities[v] = v % 3 == 0 ? 0 : 0.1 * v;
  return opportunities;
}

template <class Condition>
double count(const std::vector<double>& row, const Condition& condition) {
  return static_cast<double>(std::ranges::count_if(row, condition));
}

struct terms {
  const std::vector<double>& row;
  const std::vector<double>& opportunities;

  /// Returns the sum of the opportunities, each times weight(distance).
  template <class Weight>
  [[nodiscard]] double sum(const Weight& weight) const {
    double result = 0;
    for (std::size_t v = 0; v < row.size(); ++v) result += row[v] == infinity ? 0 : opportunities[v] * weight(row[v]);
    return result;
  }
};

}  // namespace

TEST_CASE("quantities agree with the distances they are computed from") {
  for (const char* name : {"road7", "rmat6"}) {
    for (const number_type type : {number_type::uint32, number_type::float32, number_type::float64}) {
      const digraph graph = digraph::open(name, {.weight_type = type});
      const std::vector<double> opportunities = some_opportunities(graph);
      const std::vector<double> ones(graph.vertex_count(), 1.0);
      std::vector<vertex> sources(20);
      std::iota(sources.begin(), sources.end(), vertex{3});
      sources.push_back(3);
      const std::vector<vertex> members = {9, 2, 40, 9, 33};
      const std::vector<reduction> reductions{reduction::within({90, 300.5, 5000}, opportunities),
                                              reduction::within({300}),
                                              reduction::decayed(decay::exponential, 200, opportunities),
                                              reduction::decayed(decay::gaussian, 200, opportunities),
                                              reduction::decayed(decay::linear, 400),
                                              reduction::histogram({0, 100, 200, 1e9}),
                                              reduction::closeness(),
                                              reduction::eccentricity(),
                                              reduction::nearest(members, 3)};
      for (const char* device_name : {"simt", "cpu:2"}) {
        CAPTURE(name, static_cast<int>(type), device_name);
        const device target(device_name);
        solver searches(target, graph);
        const auto rows = distances_of(searches, sources);
        const reduced_searches result = searches.reduce(sources, reductions, {.check = true});
        CHECK(result.summary.searches == sources.size());
        CHECK(result.summary.times.solve > 0);
        REQUIRE(result.tables.size() == reductions.size());
        for (std::size_t t = 0; t < reductions.size(); ++t) {
          CHECK(result.tables[t].columns == reductions[t].columns());
          REQUIRE(result.tables[t].values.size() == sources.size() * reductions[t].columns());
        }
        for (std::size_t i = 0; i < sources.size(); ++i) {
          CAPTURE(i);
          const std::vector<double>& row = rows[i];
          const terms amounts{row, opportunities};
          const auto value = [&](std::size_t table, std::size_t column) {
            return result.tables[table].value(i, column);
          };
          CHECK(value(0, 0) == Approx(amounts.sum([](double d) { return d <= 90; })));
          CHECK(value(0, 1) == Approx(amounts.sum([](double d) { return d <= 300.5; })));
          CHECK(value(0, 2) == Approx(amounts.sum([](double d) { return d <= 5000; })));
          CHECK(value(1, 0) == count(row, [](double d) { return d <= 300; }));
          CHECK(value(2, 0) == Approx(amounts.sum([](double d) { return std::exp(-d / 200); })).margin(1e-9));
          CHECK(value(3, 0) == Approx(amounts.sum([](double d) { return std::exp(-d * d / 80000); })).margin(1e-9));
          CHECK(value(4, 0) == Approx(terms{row, ones}.sum([](double d) { return std::max(0.0, 1 - d / 400); })));
          CHECK(value(5, 0) == count(row, [](double d) { return d == 0; }));
          CHECK(value(5, 1) == count(row, [](double d) { return d > 0 && d <= 100; }));
          CHECK(value(5, 2) == count(row, [](double d) { return d > 100 && d <= 200; }));
          CHECK(value(5, 3) == count(row, [](double d) { return d > 200 && d <= 1e9; }));
          CHECK(value(6, 0) == Approx(terms{row, ones}.sum([](double d) { return d; })));
          CHECK(value(6, 1) == count(row, [](double d) { return d < infinity; }));
          double farthest = 0;
          for (const double d : row) farthest = d == infinity ? farthest : std::max(farthest, d);
          CHECK(value(7, 0) == farthest);
          std::vector<std::pair<double, std::size_t>> nearest;
          for (std::size_t k = 0; k < members.size(); ++k) nearest.emplace_back(row[members[k]], k);
          std::ranges::sort(nearest);
          for (std::size_t k = 0; k < 3; ++k) {
            const auto [distance, index] = nearest[k];
            CHECK(value(8, k) == distance);
            CHECK(value(8, 3 + k) == (distance == infinity ? -1.0 : members[index]));
          }
        }
      }
    }
  }
}

TEST_CASE("one nearest member is found by default, and other quantities ignore the count") {
  const digraph graph = digraph::open("road6");
  solver searches(device("cpu:1"), graph);
  const std::vector<vertex> sources = {5};
  reduction unused = reduction::closeness();
  unused.count = 0;
  const std::vector<reduction> reductions{
      {.kind = reduction::quantity::nearest, .members = {5}}, reduction::nearest({5}), unused, reduction::closeness()};
  const reduced_searches result = searches.reduce(sources, reductions);
  CHECK(result.tables[0].values == std::vector<double>{0, 5});
  CHECK(result.tables[1].values == result.tables[0].values);
  CHECK(result.tables[2].values == result.tables[3].values);
}

TEST_CASE("results of several blocks are in the order of the sources") {
  const digraph graph = digraph::open("road6");
  solver searches(device("simt"), graph);
  std::vector<vertex> sources(100);
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = static_cast<vertex>(i * 7 % graph.vertex_count());
  const std::vector<reduction> reductions{reduction::closeness()};
  const reduced_searches at_once =
      searches.reduce(sources, reductions, {.configurations = {"solver=block,threads=32,blocks=1,near_items=32"}});
  const reduced_searches tried = searches.reduce(sources, reductions, {.tries = 2, .searches_per_try = 10});
  CHECK(tried.summary.tried.size() == 2);
  CHECK(at_once.tables[0].values == tried.tables[0].values);
}

TEST_CASE("a cutoff of the searches applies to every quantity") {
  const digraph graph = digraph::open("road7");
  solver searches(device("cpu:1"), graph);
  const std::vector<vertex> sources = {1, 2};
  const auto rows = distances_of(searches, sources);
  const std::vector<reduction> reductions{reduction::within({100, 1000}), reduction::closeness()};
  const reduced_searches result = searches.reduce(sources, reductions, {.cutoff = 250});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto reached = static_cast<double>(std::ranges::count_if(rows[i], [](double d) { return d <= 250; }));
    CHECK(result.tables[0].value(i, 1) == reached);
    CHECK(result.tables[1].value(i, 1) == reached);
  }
}

TEST_CASE("the choice for limited quantities depends on how much of the graph is within the limit") {
  const digraph graph = digraph::open("road14");
  std::vector<vertex> sources(5000);
  std::iota(sources.begin(), sources.end(), vertex{0});
  const auto choice_of = [&](const reduction& quantity, std::optional<double> cutoff = std::nullopt) {
    solver searches(device("cpu:2"), graph);
    const std::vector<reduction> reductions{quantity};
    return searches.reduce(sources, reductions, {.tries = 1, .cutoff = cutoff}).summary.choice;
  };
  const choice near = choice_of(reduction::within({1000}));
  CHECK_THAT(near.configuration, Contains("solver=cpu_dijkstra"));
  CHECK_THAT(near.reason, Contains(" expected for 5000 searches that reach 0.") && Contains(" % of the vertices"));
  const choice far = choice_of(reduction::within({1e9}));
  CHECK_THAT(far.configuration, Contains("solver=cpu_hierarchy"));
  CHECK_THAT(far.reason, Contains(" searches that reach 100 % of the vertices"));
  // Tries replace the choice, but its reason remains.
  solver tried(device("cpu:2"), graph);
  const std::vector<reduction> quantities{reduction::within({1e9})};
  CHECK_THAT(tried.reduce(sources, quantities, {.tries = 2, .searches_per_try = 10}).summary.choice.reason,
             Contains("the fastest of 2 configurations tried: ") &&
                 Contains(" searches per second; recommended first: cpu_hierarchy: ") &&
                 Contains(" searches that reach 100 % of the vertices"));
  CHECK_THAT(choice_of(reduction::histogram({10, 1e9})).configuration, Contains("solver=cpu_hierarchy"));
  CHECK_THAT(choice_of(reduction::closeness(), 1000).configuration, Contains("solver=cpu_dijkstra"));
  CHECK_THAT(choice_of(reduction::closeness()).reason, Contains(" for 5000 searches on 2 processors"));

  // Each cutoff is estimated, and again with other weights.
  solver searches(device("cpu:2"), graph);
  const auto solver_of_call = [&](double limit) {
    const std::vector<reduction> reductions{reduction::within({limit})};
    return searches.reduce(sources, reductions, {.tries = 1}).summary.choice.configuration;
  };
  CHECK_THAT(solver_of_call(1e6), Contains("cpu_hierarchy"));
  CHECK_THAT(solver_of_call(1000), Contains("cpu_dijkstra"));
  searches.update_weights(std::vector<std::uint32_t>(graph.edge_count(), 1));
  CHECK_THAT(solver_of_call(1000), Contains("cpu_hierarchy"));
}

TEST_CASE("closeness is exact after the weights have grown") {
  const digraph graph = digraph::open("road6", {.weight_type = number_type::float64});
  const std::vector<vertex> sources = {0, 7};
  for (const char* device_name : {"simt", "cpu:2"}) {
    CAPTURE(device_name);
    solver searches(device(device_name), graph);
    const std::vector<reduction> reductions{reduction::closeness()};
    (void)searches.reduce(sources, reductions);
    searches.update_weights(std::vector<double>(graph.edge_count(), 1e15));
    const reduced_searches result = searches.reduce(sources, reductions, {.check = true});
    const auto rows = distances_of(searches, sources);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      double sum = 0;
      for (const double distance : rows[i]) sum += distance == infinity ? 0 : distance;
      CHECK(result.tables[0].value(i, 0) == Approx(sum));
    }
  }
}

TEST_CASE("one heavy edge does not change the closeness of other vertices") {
  const std::vector<reduction> closeness{reduction::closeness()};
  const std::vector<vertex> sources = {0, 1, 2, 3};
  for (const char* device_name : {"simt", "cpu:2"}) {
    CAPTURE(device_name);
    // 0 - 1 of length 1, and 2 - 3 of a length at the end of the range.
    const auto sums = [&](const auto& weights) {
      solver searches(device(device_name), digraph::from_rows({0, 1, 1, 2, 2}, {1, 3}, weights));
      return searches.reduce(sources, closeness, {.check = true}).tables[0].values;
    };
    CHECK(sums(std::vector<float>{1, 1e20F}) == std::vector<double>{1, 2, 0, 1, static_cast<double>(1e20F), 2, 0, 1});
    CHECK(sums(std::vector<float>{1e-45F, 3e38F})[0] == static_cast<double>(1e-45F));
    CHECK(sums(std::vector<double>{1, 1e20}) == std::vector<double>{1, 2, 0, 1, 1e20, 2, 0, 1});
    CHECK(sums(std::vector<double>{5e-324, 1.7e308}) == std::vector<double>{5e-324, 2, 0, 1, 1.7e308, 2, 0, 1});

    // A road network with one closed road.
    const digraph roads = digraph::open("road7", {.weight_type = number_type::float32});
    std::vector<float> weights(roads.edge_count());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.1F + static_cast<float>(i * 37 % 100) / 7;
    weights[5] = 1e9F;
    solver searches(device(device_name), roads);
    searches.update_weights(weights);
    const reduced_searches result = searches.reduce(sources, closeness, {.check = true});
    const auto rows = distances_of(searches, sources);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      long double sum = 0;
      for (const double distance : rows[i]) sum += distance == infinity ? 0 : distance;
      CHECK(result.tables[0].value(i, 0) == Approx(static_cast<double>(sum)).epsilon(1e-14));
    }
  }
}

TEST_CASE("opportunities that their sum would swallow are refused") {
  const digraph graph = digraph::from_rows({0, 1, 1}, {1}, std::vector<std::uint32_t>{1});
  solver searches(device("cpu:1"), graph);
  const std::vector<vertex> sources = {1};
  const auto sum = [&](std::vector<double> opportunities) {
    const std::vector<reduction> within{reduction::within({5}, std::move(opportunities))};
    return searches.reduce(sources, within).tables[0].value(0, 0);
  };
  CHECK(sum({1e9, 1e-3}) == Approx(1e-3));
  CHECK(sum({1e18, 1}) == 1);
  CHECK_THROWS_WITH(sum({1e20, 1}), Contains("opportunities: 1 at vertex 1 is too small compared with their sum"));
  CHECK_THROWS_WITH(sum({1, 1e-18}), Contains("too small compared with their sum"));
}

TEST_CASE("checks of quantities find wrong results, without the arithmetic that made them") {
  const digraph graph = digraph::from_rows({0, 2, 2, 2}, {1, 2}, std::vector<float>{2, 3});
  const std::vector<double> right = {0, 2, 3};
  const std::vector<reduction> reductions{reduction::within({2, 9}),
                                          reduction::decayed(decay::exponential, 2),
                                          reduction::decayed(decay::gaussian, 2),
                                          reduction::decayed(decay::linear, 4),
                                          reduction::histogram({0, 2.5}),
                                          reduction::closeness(),
                                          reduction::eccentricity(),
                                          reduction::nearest({2, 1}, 1)};
  const auto processors = backends::open_device("cpu:1");
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    CAPTURE(i);
    const auto error_after = [&](const std::vector<float>& distances) {
      detail::reduction_tables tables(graph, problem::sssp, std::span(reductions).subspan(i, 1));
      tables.begin(graph);
      detail::block_readers::reader_list readers;
      tables.prepare(readers, *processors, 0, 1);
      readers[0]->begin(1);
      std::vector<graph::distance_bits> bits;
      for (const float distance : distances) bits.push_back(std::bit_cast<graph::distance_bits>(distance));
      readers[0]->read(0, bits);
      tables.take({readers[0]->results()});
      return tables.find_error(0, right);
    };
    CHECK(error_after({0, 2, 3}).empty());
    CHECK_THAT(error_after({0, 2.6F, 3.9F}), Contains("of result 0 is") && Contains("expected"));
  }
  const std::vector<vertex> pair_sources = {0, 0};
  const std::vector<vertex> pair_targets = {2, 1};
  detail::grouped_pairs pairs(3, problem::sssp, pair_sources, pair_targets);
  pairs.begin(graph);
  pairs.take({{std::bit_cast<std::uint32_t>(3.0F), std::bit_cast<std::uint32_t>(2.0F)}});
  CHECK(pairs.find_error(0, right).empty());
  CHECK_THAT(pairs.find_error(0, std::vector<double>{0, 2, 4}), Contains("vertex 2 is 3, expected 4"));
}

TEST_CASE("results of limited memory are those of one block") {
  const digraph graph = digraph::open("rmat6");
  std::vector<vertex> sources(40);
  std::iota(sources.begin(), sources.end(), vertex{0});
  const std::vector<reduction> reductions{reduction::closeness(), reduction::eccentricity()};
  for (const char* device_name : {"simt", "cpu:2"}) {
    CAPTURE(device_name);
    solver searches(device(device_name), graph);
    // Three numbers for each search: blocks of seven searches.
    const batch_options limited{.memory_bytes = 7 * 3 * sizeof(double)};
    const reduced_searches blocks = searches.reduce(sources, reductions, limited);
    const reduced_searches whole = searches.reduce(sources, reductions);
    for (std::size_t t = 0; t < reductions.size(); ++t) CHECK(blocks.tables[t].values == whole.tables[t].values);
    CHECK(searches.solve_pairs(sources, sources, limited).distances == std::vector<double>(sources.size(), 0.0));
    CHECK_THROWS_AS(searches.reduce(sources, reductions, {.memory_bytes = 8}), memory_error);
  }
}

TEST_CASE("reducers serve all blocks of a request, and readers of pairs one block") {
  const digraph graph = digraph::open("road6");
  const std::vector<vertex> vertices = {3, 1, 2, 3};
  const std::vector<reduction> reductions{reduction::closeness(), reduction::nearest({5})};
  detail::reduction_tables tables(graph, problem::sssp, reductions);
  detail::grouped_pairs pairs(graph.vertex_count(), problem::sssp, vertices, vertices);
  tables.begin(graph);
  pairs.begin(graph);
  const auto processors = backends::open_device("cpu:1");
  detail::block_readers::reader_list readers;
  tables.prepare(readers, *processors, 0, 2);
  const auto* const first_reducer = readers.at(0).get();
  tables.prepare(readers, *processors, 2, 1);
  REQUIRE(readers.size() == 2);
  CHECK(readers[0].get() == first_reducer);
  readers.clear();
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    pairs.prepare(readers, *processors, first, 2);
    REQUIRE(readers.size() == 1);
    readers[0]->begin(2);
    CHECK(readers[0]->results().size() == 2 + first);
  }
}

TEST_CASE("graphs without edges share no hierarchy") {
  const auto without_edges = [](vertex vertices) {
    return digraph::from_rows(std::vector<std::uint64_t>(vertices + 1, 0), {}, std::vector<std::uint32_t>{});
  };
  solver small(device("cpu:1"), without_edges(3));
  solver large(device("cpu:1"), without_edges(50));
  const batch_options options{.configurations = {"solver=cpu_hierarchy"}};
  const std::vector<reduction> reductions{reduction::closeness()};
  CHECK(small.reduce(std::vector<vertex>{2}, reductions, options).tables[0].value(0, 1) == 1);
  CHECK(large.reduce(std::vector<vertex>{49}, reductions, options).tables[0].value(0, 1) == 1);
}

TEST_CASE("distances of pairs are those of their searches") {
  const digraph graph = digraph::open("rmat6");
  std::vector<vertex> sources;
  std::vector<vertex> targets;
  for (vertex i = 0; i < 200; ++i) {
    sources.push_back(i * i % graph.vertex_count());
    targets.push_back(i * 5 % graph.vertex_count());
  }
  for (const char* device_name : {"simt", "cpu:2"}) {
    for (const problem kind : {problem::sssp, problem::bfs}) {
      CAPTURE(device_name, kind == problem::bfs);
      solver searches(device(device_name), graph, kind);
      const pair_distances result = searches.solve_pairs(sources, targets, {.check = true});
      const auto rows = distances_of(searches, sources);
      REQUIRE(result.distances.size() == sources.size());
      for (std::size_t i = 0; i < sources.size(); ++i) CHECK(result.distances[i] == rows[i][targets[i]]);
      CHECK(result.summary.searches < sources.size());
    }
  }
}

TEST_CASE("searches in the reversed graph find the distances to a vertex") {
  const digraph graph = digraph::open("rmat6");
  const digraph reversed = graph.reversed();
  CHECK(reversed.edge_count() == graph.edge_count());
  CHECK(reversed.reversed().edge_count() == graph.edge_count());
  solver forwards(device("cpu:1"), graph);
  solver backwards(device("cpu:1"), reversed);
  const solution to_vertex = backwards.solve(5);
  for (vertex v = 0; v < graph.vertex_count(); v += 3) CHECK(to_vertex.distance(v) == forwards.solve(v).distance(5));
}

TEST_CASE("invalid quantities and pairs are refused with a reason") {
  const digraph graph = digraph::open("road6");
  solver searches(device("cpu:1"), graph);
  const std::vector<vertex> sources = {0, 1};
  const auto message = [&](const reduction& quantity, const batch_options& options = {}) -> std::string {
    try {
      (void)searches.reduce(sources, std::vector<reduction>{quantity}, options);
    } catch (const input_error& error) {
      return error.what();
    }
    return "";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> opportunities(graph.vertex_count(), 1.0);
  CHECK_THAT(message(reduction::within({})), Contains("cutoffs: 0 numbers, expected 1 to 128"));
  CHECK_THAT(message(reduction::within({-1})), Contains("cutoffs: -1 (index 0), expected a number of at least 0"));
  CHECK_THAT(message(reduction::within({1, nan})), Contains("cutoffs: nan (index 1)"));
  CHECK_THAT(message(reduction::within({5, 5})), Contains("cutoffs: 5 after 5, expected ascending numbers"));
  CHECK_THAT(message(reduction::within({1}, {1, 2})), Contains("opportunities: 2 numbers, but road6 has"));
  opportunities[4] = nan;
  CHECK_THAT(message(reduction::within({1}, opportunities)), Contains("opportunities: nan at vertex 4"));
  opportunities[4] = -2;
  CHECK_THAT(message(reduction::decayed(decay::linear, 1, opportunities)), Contains("opportunities: -2 at vertex 4"));
  opportunities[4] = infinity;
  CHECK_THAT(message(reduction::decayed(decay::linear, 1, opportunities)), Contains("inf at vertex 4"));
  opportunities[4] = opportunities[5] = std::numeric_limits<double>::max();
  CHECK_THAT(message(reduction::within({1}, opportunities)), Contains("their sum is too large"));
  CHECK_THAT(message(reduction::decayed(decay::linear, 0)), Contains("scale: 0, expected a finite number above 0"));
  CHECK_THAT(message(reduction::decayed(decay::exponential, nan)), Contains("scale: nan"));
  CHECK_THAT(message(reduction::histogram(std::vector<double>(129, 1))), Contains("limits: 129 numbers"));
  CHECK_THAT(message(reduction::nearest({}, 1)), Contains("nearest: no vertices to choose from"));
  CHECK_THAT(message(reduction::nearest({1}, 0)), Contains("nearest: a count of 0, expected 1 to 64"));
  CHECK_THAT(message(reduction::nearest({1}, 65)), Contains("nearest: a count of 65"));
  CHECK_THAT(message(reduction::nearest({1, 999}, 1)), Contains("member 999 (index 1 of the list)"));
  CHECK_THAT(message(reduction::closeness(), {.targets = {1}}), Contains("targets: only solve_many()"));
  CHECK_THAT(message(reduction::closeness(), {.keep_on_device = true}), Contains("keep_on_device"));
  CHECK_THROWS_WITH(searches.reduce(sources, {}), Contains("no reductions"));
  const std::vector<vertex> three = {1, 2, 3};
  CHECK_THROWS_WITH(searches.solve_pairs(sources, three), Contains("pairs: 2 sources, but 3 targets"));
  const std::vector<vertex> beyond = {1, 5000};
  CHECK_THROWS_WITH(searches.solve_pairs(sources, beyond), Contains("target 5000 (index 1 of the list)"));
  CHECK_THROWS_WITH(searches.solve_pairs(beyond, sources), Contains("source 5000 (index 1 of the list)"));
}
