// SPDX-License-Identifier: Apache-2.0
// Searches from many vertices in the library: distances, targets, cutoffs, trials, blocks, and refused input.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "mlmq/mlmq.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

std::vector<std::string> devices() { return {"simt", "cpu:2"}; }

std::vector<vertex> first_vertices(vertex count) {
  std::vector<vertex> vertices(count);
  std::iota(vertices.begin(), vertices.end(), vertex{0});
  return vertices;
}

/// All rows, in the order of the sources.
struct matrix {
  std::vector<std::vector<double>> rows;

  take_distances taker() {
    return [this](const distance_rows& block) {
      REQUIRE(block.first == rows.size());
      for (std::size_t i = 0; i < block.rows; ++i) {
        std::vector<double>& row = rows.emplace_back();
        for (std::size_t j = 0; j < block.columns; ++j) row.push_back(block.at(i, j));
      }
    };
  }
};

}  // namespace

TEST_CASE("searches after a change of weights, by every kind of solver") {
  const std::vector<std::uint64_t> offsets = {0, 2, 3, 4, 4};
  const std::vector<vertex> targets = {1, 2, 2, 3};
  const digraph graph = digraph::from_rows(offsets, targets, std::vector<std::uint32_t>{5, 9, 1, 1}, "a graph");
  for (const std::string& device_name : devices()) {
    const bool has_kernels = device_name == "simt";
    for (const char* configuration : {has_kernels ? "solver=hierarchy,threads=32,blocks=1" : "solver=cpu_hierarchy",
                                      has_kernels ? "solver=block,threads=32,blocks=1" : "solver=cpu_dijkstra"}) {
      CAPTURE(device_name, configuration);
      solver solver(device(device_name), graph);
      const auto distance_of_3 = [&] {
        matrix answers;
        (void)solver.solve_many(std::vector<vertex>{0, 1}, {.configurations = {configuration}, .check = true},
                                answers.taker());
        const solution single = solver.solve(0);
        CHECK(single.check().empty());
        CHECK(single.distance(3) == answers.rows.at(0).at(3));
        return single.distance(3);
      };
      CHECK(distance_of_3() == 7);
      const solution before = solver.solve(0);
      solver.update_weights(std::vector<std::uint32_t>{5, 2, 1, 1});
      CHECK(distance_of_3() == 3);
      CHECK(before.path(3) == std::vector<vertex>{0, 1, 2, 3});
      // Lengths that need another variant of the kernel, and back.
      solver.update_weights(std::vector<std::uint32_t>{5, 0xF000'0000, 0x7FFF'FFFF, 0x4000'0000});
      CHECK(distance_of_3() == 5.0 + 0x7FFF'FFFF + 0x4000'0000);
      solver.update_weights(std::vector<std::uint32_t>{5, 2, 1, 1});
      CHECK(distance_of_3() == 3);
      CHECK_THROWS_WITH(solver.update_weights(std::vector<std::uint32_t>{1}), Contains("1 new weights"));
      CHECK_THROWS_WITH(solver.update_weights(std::vector<float>{1, 2, 3, 4}), Contains("float32"));
      CHECK_THROWS_AS(solver.solve_many(std::vector<vertex>{0}, {.configurations = {configuration}},
                                        [&](const distance_rows&) {
                                          solver.update_weights(std::vector<std::uint32_t>{5, 2, 1, 1});
                                        }),
                      input_error);
      CHECK(distance_of_3() == 3);
    }
  }
}

TEST_CASE("searches after a change of weights in device memory") {
  const std::vector<std::uint64_t> offsets = {0, 2, 3, 4, 4};
  const std::vector<vertex> targets = {1, 2, 2, 3};
  const device simulator("simt");
  const std::shared_ptr<void> memory = simulator.allocate(5 * sizeof(std::uint32_t));
  for (const char* configuration : {"solver=hierarchy,threads=32,blocks=1", "solver=block,threads=32,blocks=1",
                                    "solver=group,threads=32,blocks=1"}) {
    CAPTURE(configuration);
    const digraph graph = digraph::from_rows(offsets, targets, std::vector<std::uint32_t>{5, 9, 1, 1}, "a graph");
    solver solver(simulator, graph);
    const auto distance_of_3 = [&](bool checks) {
      matrix answers;
      (void)solver.solve_many(std::vector<vertex>{0, 1}, {.configurations = {configuration}, .check = checks},
                              answers.taker());
      return answers.rows.at(0).at(3);
    };
    const auto update = [&](std::vector<std::uint32_t> weights) {
      simulator.write(memory.get(), weights.data(), weights.size() * sizeof(std::uint32_t));
      solver.update_weights({.weights = memory.get(), .count = 4});
      const std::vector<std::uint32_t> other(4, 77);  // the caller may use the memory again
      simulator.write(memory.get(), other.data(), other.size() * sizeof(std::uint32_t));
    };
    update({4, 9, 1, 1});  // before the first search
    CHECK(distance_of_3(true) == 6);
    update({5, 2, 1, 1});
    CHECK(distance_of_3(false) == 3);
    CHECK(distance_of_3(true) == 3);
    CHECK(solver.solve(0).path(3) == std::vector<vertex>{0, 2, 3});
    update({5, 0xF000'0000, 0x7FFF'FFFF, 0x4000'0000});
    CHECK(distance_of_3(false) == 5.0 + 0x7FFF'FFFF + 0x4000'0000);
    CHECK(solver.solve(0).check().empty());
    CHECK_THROWS_WITH(update({1, 1, 0xFFFF'FFFE, 1}), Contains("edge 2 has weight 4294967294"));
    CHECK(distance_of_3(true) == 5.0 + 0x7FFF'FFFF + 0x4000'0000);  // the former weights
    solver.update_weights(std::vector<std::uint32_t>{5, 2, 1, 1});
    CHECK(distance_of_3(true) == 3);
    CHECK_THROWS_WITH(solver.update_weights({.weights = memory.get(), .count = 3}), Contains("3 new weights"));
    CHECK_THROWS_WITH(solver.update_weights({.weights = memory.get(), .count = 4, .type = number_type::float32}),
                      Contains("float32"));
    const std::vector<std::uint32_t> on_host(4, 1);
    CHECK_THROWS_WITH(solver.update_weights({.weights = on_host.data(), .count = 4}), Contains("the new weights"));
    CHECK_THROWS_WITH(solver.update_weights({.weights = static_cast<std::byte*>(memory.get()) + 2, .count = 4}),
                      Contains("not aligned to 4 bytes"));
    CHECK_THROWS_AS(solver.solve_many(std::vector<vertex>{0}, {.configurations = {configuration}},
                                      [&](const distance_rows&) {
                                        update({5, 2, 1, 1});
                                      }),
                    input_error);
    CHECK(distance_of_3(true) == 3);
  }

  const auto update_floats = [&](std::vector<float> weights) {
    solver solver(simulator, digraph::from_rows(offsets, targets, std::vector<float>{5, 9, 1, 1}, "floats"));
    simulator.write(memory.get(), weights.data(), weights.size() * sizeof(float));
    solver.update_weights({.weights = memory.get(), .count = 4, .type = number_type::float32});
    return solver.solve(0).distance(3);
  };
  CHECK(update_floats({0.5F, 2, 0.25F, -0.0F}) == 0.75);
  CHECK_THROWS_WITH(update_floats({1, -1, 1, 1}), Contains("edge 1 has weight -1, expected a finite number"));
  CHECK_THROWS_WITH(update_floats({1, 1, 1, NAN}), Contains("edge 3 has weight nan"));
  CHECK_THROWS_WITH(update_floats({INFINITY, 1, 1, 1}), Contains("edge 0 has weight inf"));

  solver wide(simulator, digraph::from_rows(offsets, targets, std::vector<double>{5, 9, 1, 1}, "doubles"));
  CHECK_THROWS_WITH(wide.update_weights({.weights = memory.get(), .count = 4, .type = number_type::float64}),
                    Contains("float64"));
  solver processors(device("cpu:1"), digraph::from_rows(offsets, targets, std::vector<std::uint32_t>(4, 1), "a graph"));
  CHECK_THROWS_WITH(processors.update_weights({.weights = memory.get(), .count = 4}), Contains("host memory"));
}

TEST_CASE("many searches agree with single ones, for every kind of weights") {
  for (const char* const name : {"road7", "rmat7"}) {
    for (const bool floats : {false, true}) {
      for (const problem kind : {problem::sssp, problem::bfs}) {
        const digraph graph =
            digraph::open(name, {.weight_type = floats ? std::optional(mlmq::number_type::float32) : std::nullopt});
        for (const std::string& device_name : devices()) {
          CAPTURE(name, floats, kind == problem::bfs, device_name);
          const device target(device_name);
          solver solver(target, graph, kind);
          std::vector<vertex> sources = first_vertices(40);
          sources.push_back(3);  // a repeated source
          matrix answers;
          const batch_summary summary = solver.solve_many(sources, {.check = true}, answers.taker());
          CHECK(summary.searches == sources.size());
          CHECK(summary.times.solve > 0);
          REQUIRE(answers.rows.size() == sources.size());
          mlmq::solver reference(device("cpu:1"), graph, kind);
          for (std::size_t i = 0; i < sources.size(); i += 8) {
            const solution right = reference.solve(sources[i], {.configurations = {"solver=dijkstra"}});
            REQUIRE(answers.rows[i].size() == graph.vertex_count());
            for (vertex v = 0; v < graph.vertex_count(); ++v) REQUIRE(answers.rows[i][v] == right.distance(v));
          }
        }
      }
    }
  }
}

TEST_CASE("the digest is that of the distances, for every device and order of the sources") {
  const digraph graph = digraph::open("road7");
  const std::vector<vertex> sources = {3, 9, 100, 5};
  std::set<std::uint64_t> digests;
  for (const char* const configuration : {"solver=block", "solver=hierarchy", "solver=cpu_dijkstra"}) {
    const device target(std::string_view(configuration) == "solver=cpu_dijkstra" ? "cpu:2" : "simt:1x8");
    solver solver(target, graph);
    const auto digest_of = [&](const std::vector<vertex>& some) {
      return solver.solve_many(some, {.configurations = {configuration}}).digest;
    };
    digests.insert(digest_of(sources));
    digests.insert(digest_of({9, 3, 5, 100}));
    digests.insert(digest_of({3, 9}) + digest_of({100, 5}));
    CHECK_FALSE(digests.contains(digest_of({3, 9, 100, 6})));
    CHECK(solver.solve_many(sources, {.configurations = {configuration}, .targets = {1}}).digest == 0);
  }
  CHECK(digests.size() == 1);
}

TEST_CASE("the choice of a class counts the searches of all calls") {
  solver solver(device("cpu:2"), digraph::open("road8"));
  const auto reason = [&](vertex searches) { return solver.solve_many(first_vertices(searches)).choice.reason; };
  CHECK_THAT(reason(3), Contains(" expected for 3 searches on 2 processors"));
  CHECK_THAT(reason(4), Contains(" expected for 7 searches in 2 calls on 2 processors"));
}

TEST_CASE("targets and cutoffs bound the searches") {
  const digraph graph = digraph::open("road7");
  for (const std::string& device_name : devices()) {
    CAPTURE(device_name);
    const device target(device_name);
    solver solver(target, graph);
    const std::vector<vertex> sources = {0, 50, 100};
    matrix full_rows;
    solver.solve_many(sources, {}, full_rows.taker());
    matrix some;
    const std::vector<vertex> targets = {7, 100, 7};
    solver.solve_many(sources, {.targets = targets, .check = true}, some.taker());
    matrix near;
    const double cutoff = 5000.5;
    solver.solve_many(sources, {.cutoff = cutoff, .check = true}, near.taker());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      REQUIRE(some.rows[i].size() == targets.size());
      for (std::size_t t = 0; t < targets.size(); ++t) CHECK(some.rows[i][t] == full_rows.rows[i][targets[t]]);
      for (vertex v = 0; v < graph.vertex_count(); ++v) {
        const double right =
            full_rows.rows[i][v] <= cutoff ? full_rows.rows[i][v] : std::numeric_limits<double>::infinity();
        CHECK(near.rows[i][v] == right);
      }
    }
  }
}

TEST_CASE("blocks are as large as the given memory allows, and come in order") {
  const digraph graph = digraph::open("road6");
  const std::uint64_t row = graph.vertex_count() * sizeof(std::uint32_t);
  const device processors("cpu:2");
  solver solver(processors, graph);
  std::vector<std::size_t> sizes;
  matrix answers;
  const take_distances taker = answers.taker();
  solver.solve_many(first_vertices(10), {.memory_bytes = 4 * row + 3}, [&](const distance_rows& block) {
    sizes.push_back(block.rows);
    taker(block);
  });
  // Half of the memory is for the blocks that are handed over.
  CHECK(sizes == std::vector<std::size_t>{2, 2, 2, 2, 2});
  CHECK(answers.rows.size() == 10);
  CHECK_THROWS_AS(solver.solve_many(first_vertices(2), {.memory_bytes = row - 1}, taker), memory_error);
  CHECK_THROWS_WITH(solver.solve_many(first_vertices(2), {.memory_bytes = row - 1}, taker),
                    Contains("one search need"));
  // An exception of the callback reaches the caller, and the solver stays usable.
  CHECK_THROWS_WITH(
      solver.solve_many(first_vertices(2), {}, [](const distance_rows&) { throw std::runtime_error("enough"); }),
      "enough");
  CHECK(solver.solve_many(first_vertices(2)).searches == 2);
}

TEST_CASE("searches continue while distances are handed over, which happens in the caller's thread") {
  const digraph graph = digraph::open("road7");
  const std::uint64_t row = graph.vertex_count() * sizeof(std::uint32_t);
  for (const std::string& device_name : devices()) {
    for (const bool has_targets : {false, true}) {
      CAPTURE(device_name, has_targets);
      const device target(device_name);
      solver solver(target, graph);
      const std::vector<vertex> sources = first_vertices(30);
      std::vector<vertex> targets;
      if (has_targets) targets = {5, 100, 5};
      matrix once;
      solver.solve_many(sources, {.targets = targets}, once.taker());
      REQUIRE(once.rows.size() == sources.size());
      matrix slow;
      const take_distances taker = slow.taker();
      const std::thread::id calling_thread = std::this_thread::get_id();
      const std::uint64_t of_rows = has_targets ? targets.size() * sizeof(std::uint32_t) : row;
      std::size_t calls = 0;
      const batch_summary summary = solver.solve_many(
          sources, {.targets = targets, .memory_bytes = 14 * of_rows, .check = true}, [&](const distance_rows& block) {
            CHECK(std::this_thread::get_id() == calling_thread);
            ++calls;
            // Sleeps long enough for the search of the next block: the rows must not change meanwhile.
            const double before = block.at(0, 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            CHECK(block.at(0, 0) == before);
            taker(block);
          });
      CHECK(calls == 5);  // 7, 7, 7, 7 and 2 searches
      CHECK(summary.searches == sources.size());
      CHECK(slow.rows == once.rows);
      // The callback throws while other sources are being searched.
      calls = 0;
      CHECK_THROWS_WITH(solver.solve_many(sources, {.targets = targets, .memory_bytes = 14 * of_rows},
                                          [&](const distance_rows&) {
                                            if (++calls == 2) throw std::runtime_error("enough");
                                          }),
                        "enough");
      CHECK(calls == 2);
      CHECK(solver.solve_many(sources, {.targets = targets, .check = true}).searches == sources.size());
    }
  }
}

TEST_CASE("the function that gets the distances may use the solver and its device") {
  const digraph graph = digraph::open("road7");
  const std::uint64_t row = graph.vertex_count() * sizeof(std::uint32_t);
  for (const std::string& selector : devices()) {
    for (const bool keeps : {false, true}) {
      if (keeps && selector.starts_with("cpu")) continue;
      CAPTURE(selector, keeps);
      const device shared_device(selector);
      solver solver(shared_device, graph);
      const std::vector<vertex> sources = first_vertices(10);
      std::size_t calls = 0;
      solver.solve_many(sources, {.memory_bytes = 4 * row, .keep_on_device = keeps}, [&](const distance_rows& rows) {
        ++calls;
        CHECK(solver.solve(sources[rows.first]).check().empty());
        matrix inner;
        solver.solve_many(first_vertices(6), {.memory_bytes = 4 * row, .check = true}, inner.taker());
        CHECK(inner.rows.size() == 6);
        // Another thread does not wait for this call.
        std::thread([&] { CHECK(mlmq::solver(shared_device, graph).solve(1).check().empty()); }).join();
        if (keeps) {
          std::vector<std::uint32_t> distances(rows.rows * rows.columns);
          shared_device.read(distances.data(), rows.on_device, distances.size() * sizeof(std::uint32_t));
          CHECK(distances[sources[rows.first]] == 0);
        } else {
          CHECK(rows.at(0, sources[rows.first]) == 0);
        }
      });
      CHECK(calls == 5);
    }
  }
}

TEST_CASE("a block that is handed over piece by piece is not changed by the next one") {
  const digraph graph = digraph::open("road7");
  solver solver(device("cpu:2"), graph);
  const std::vector<vertex> sources = first_vertices(15);
  matrix right;
  solver.solve_many(sources, {}, right.taker());
  // So many targets that three rows are one copy of 32 MiB.
  std::vector<vertex> targets(2'300'000);
  for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<vertex>(i % graph.vertex_count());
  std::vector<std::size_t> sizes;
  std::size_t row = 0;
  std::size_t wrong = 0;
  solver.solve_many(sources, {.targets = targets, .memory_bytes = 14 * targets.size() * sizeof(std::uint32_t)},
                    [&](const distance_rows& block) {
                      sizes.push_back(block.rows);
                      // long enough for the search of the next block
                      std::this_thread::sleep_for(std::chrono::milliseconds(100));
                      for (std::size_t i = 0; i < block.rows; ++i, ++row) {
                        for (std::size_t c = 0; c < block.columns; c += 1001) {
                          if (block.at(i, c) != right.rows[row][targets[c]]) ++wrong;
                        }
                      }
                    });
  CHECK(sizes == std::vector<std::size_t>{3, 3, 1, 3, 3, 1, 1});
  CHECK(wrong == 0);
}

TEST_CASE("the first searches are tried with several configurations, each search once") {
  const digraph graph = digraph::open("road6");
  for (const std::string& device_name : devices()) {
    CAPTURE(device_name);
    const device target(device_name);
    solver solver(target, graph);
    matrix answers;
    const batch_summary summary =
        solver.solve_many(first_vertices(40), {.tries = 2, .searches_per_try = 4, .check = true}, answers.taker());
    CHECK(answers.rows.size() == 40);
    CHECK(summary.searches == 40);
    if (device_name != "simt") {
      CHECK(summary.tried.empty());  // there is only one candidate
      continue;
    }
    REQUIRE(summary.tried.size() == 2);
    CHECK(summary.tried[0].configuration != summary.tried[1].configuration);
    const bool is_first = summary.tried[0].milliseconds <= summary.tried[1].milliseconds;
    CHECK(summary.choice.configuration == summary.tried[is_first ? 0 : 1].configuration);
    CHECK(summary.choice.chosen_by == choice::source::trial);
    CHECK(solver.solve_many(first_vertices(40), {.tries = 1, .searches_per_try = 4}).tried.empty());
    CHECK(solver.solve_many(first_vertices(31), {.tries = 2, .searches_per_try = 4}).tried.empty());
  }
}

TEST_CASE("invalid input is refused with one line, and the solver stays usable") {
  const digraph graph = digraph::open("road6");
  const vertex end = graph.vertex_count();
  for (const std::string& device_name : devices()) {
    CAPTURE(device_name);
    const device target(device_name);
    solver solver(target, graph);
    const std::vector<vertex> good = {1, 2};
    CHECK_THROWS_WITH(solver.solve_many({}), Contains("no source"));
    CHECK_THROWS_WITH(solver.solve_many(std::vector<vertex>{1, end}),
                      Contains("index 1 of the list") && !Contains("\n"));
    CHECK_THROWS_WITH(solver.solve_many(good, {.targets = {end}}), Contains("target"));
    CHECK_THROWS_WITH(solver.solve_many(good, {.cutoff = -1}), Contains("cutoff"));
    CHECK_THROWS_WITH(solver.solve_many(good, {.cutoff = std::nan("")}), Contains("cutoff"));
    CHECK_THROWS_WITH(solver.solve_many(good, {.tries = 0}), Contains("tries"));
    CHECK_THROWS_WITH(solver.solve_many(good, {.time_limit_ms = 0}), Contains("time limit"));
    CHECK_THROWS_WITH(solver.solve_many(good, {.configurations = {"l9=bucket"}}), Contains("l9"));
    CHECK_THROWS_AS(
        solver.solve_many(good, {.configurations = {device_name == "simt" ? "solver=cpu_dijkstra" : "solver=group"}}),
        unsuitable_error);
    CHECK(solver.solve_many(good, {.check = true}).searches == 2);
  }
}

TEST_CASE("threads share a solver of many searches") {
  const digraph graph = digraph::open("road6");
  const device processors("cpu:2");
  solver shared(processors, graph);
  std::vector<batch_summary> summaries(4);
  {
    std::vector<std::jthread> threads;
    for (batch_summary& summary : summaries) {
      threads.emplace_back([&] { summary = shared.solve_many(first_vertices(20), {.check = true}); });
    }
  }
  for (const batch_summary& summary : summaries) CHECK(summary.searches == 20);
}

TEST_CASE("solve_many() takes configurations of single searches, and gives the answers of others") {
  const digraph integers = digraph::open("road6");
  const std::vector<std::uint64_t> offsets{0, 2, 3, 4, 4, 4};
  const std::vector<vertex> targets{1, 2, 2, 3};
  const std::vector<digraph> graphs{
      integers, digraph::from_rows(offsets, targets, std::vector<float>{0.5F, 2, 0.25F, 1}),
      digraph::from_rows(offsets, targets, std::vector<double>{0.1, 2, 0.2, 1}),
      digraph::from_rows(offsets, targets, std::vector<double>{0.1, 2, 0.2, 1}).with_decimal_places()};
  for (const digraph& graph : graphs) {
    for (const char* device_name : {"simt", "cpu:2"}) {
      CAPTURE(graph.name(), device_name);
      solver searches(device(device_name), graph);
      const bool has_kernels = device_name == std::string("simt");
      batch_options alone{.configurations = {has_kernels ? "solver=near_far" : "solver=dijkstra"}, .check = true};
      batch_options together;
      const std::vector<vertex> sources{0, 2, 0, 1};
      for (const std::optional<double> cutoff : {std::optional<double>(), std::optional<double>(0.3)}) {
        for (const std::vector<vertex>& wanted_targets : {std::vector<vertex>(), std::vector<vertex>{3, 0, 3}}) {
          alone.cutoff = together.cutoff = cutoff;
          alone.targets = together.targets = wanted_targets;
          matrix answers;
          matrix expected;
          const batch_summary summary = searches.solve_many(sources, alone, answers.taker());
          CHECK(summary.digest == searches.solve_many(sources, together, expected.taker()).digest);
          CHECK(answers.rows == expected.rows);
          CHECK(summary.searches == sources.size());
          CHECK(summary.choice.configuration == complete_configuration(alone.configurations.front()));
        }
      }
      alone.targets = together.targets = {};
      alone.cutoff = together.cutoff = {};
      const std::vector<reduction> reductions{reduction::closeness(), reduction::nearest({1, 3}, 2)};
      const reduced_searches reduced = searches.reduce(sources, reductions, alone);
      const reduced_searches expected = searches.reduce(sources, reductions, together);
      for (std::size_t i = 0; i < reductions.size(); ++i) CHECK(reduced.tables[i].values == expected.tables[i].values);
      const std::vector<vertex> ends{3, 3, 1, 0};
      CHECK(searches.solve_pairs(sources, ends, alone).distances == searches.solve_pairs(sources, ends).distances);
    }
  }
  solver searches(device("simt"), integers);
  const batch_options alone{.configurations = {"solver=near_far"}, .keep_on_device = true};
  CHECK_THROWS_WITH(searches.solve_many(std::vector<vertex>{0}, alone), Contains("on the device"));
  CHECK_THROWS_WITH(searches.solve_many(std::vector<vertex>{0}, {.configurations = {"solver=nothing"}}),
                    Contains("nothing"));
  // The function that gets the distances may use the solver.
  std::size_t nested = 0;
  (void)searches.solve_many(std::vector<vertex>{0, 1}, {.configurations = {"solver=near_far"}},
                            [&](const distance_rows& block) {
                              CHECK(searches.solve(1).distance(0) == searches.solve(1).distance(0));
                              nested += block.rows;
                            });
  CHECK(nested == 2);
}
