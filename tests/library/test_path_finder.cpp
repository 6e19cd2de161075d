// SPDX-License-Identifier: Apache-2.0
// Path finding through the public interface.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using Catch::Contains;

/// The simulator, with compiled kernels in the build folder.
device simulator() { return detail::adopt(problems::tests::open_simulator()); }

path_options options_with(std::vector<std::string> configurations, bool paths = true) {
  path_options options;
  options.configurations = std::move(configurations);
  options.paths = paths;
  return options;
}

/// A map that depends only on the definition of legal steps.
struct plain_map {
  int width = 0;
  int height = 0;
  corner_rule corners = corner_rule::cut;
  std::vector<std::uint8_t> free = {};

  [[nodiscard]] bool is_free(int x, int y) const {
    return x >= 0 && y >= 0 && x < width && y < height && free[static_cast<std::size_t>(y * width + x)] != 0;
  }
  [[nodiscard]] bool is_legal(cell start, cell end) const {
    const int x = static_cast<int>(start.x);
    const int y = static_cast<int>(start.y);
    const int dx = static_cast<int>(end.x) - x;
    const int dy = static_cast<int>(end.y) - y;
    if (std::abs(dx) > 1 || std::abs(dy) > 1 || (dx == 0 && dy == 0)) return false;
    if (!is_free(x, y) || !is_free(x + dx, y + dy)) return false;
    return dx == 0 || dy == 0 || corners == corner_rule::cut || (is_free(x + dx, y) && is_free(x, y + dy));
  }
  [[nodiscard]] grid to_grid(const std::string& name = "tested") const {
    return grid::from_cells(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), free, corners, name);
  }
};

plain_map random_map(int width, int height, corner_rule corners, std::uint64_t seed) {
  plain_map map{.width = width, .height = height, .corners = corners};
  random_stream random{seed};
  for (int i = 0; i < width * height; ++i) map.free.push_back(random.below(100) < 65 ? 1 : 0);
  return map;
}

double length_between(cell a, cell b) { return a.x != b.x && a.y != b.y ? std::sqrt(2.0) : 1.0; }

/// Returns the length by Dijkstra's algorithm in floating point; infinity without a path.
double shortest(const plain_map& map, const grid_pair& pair) {
  using entry = std::pair<double, std::pair<std::uint32_t, std::uint32_t>>;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> best_lengths = {{{pair.start.x, pair.start.y}, 0.0}};
  std::priority_queue<entry, std::vector<entry>, std::greater<>> open;
  open.push({0, {pair.start.x, pair.start.y}});
  while (!open.empty()) {
    const auto [length, at] = open.top();
    open.pop();
    if (length > best_lengths[at]) continue;
    const cell current{.x = at.first, .y = at.second};
    if (current == pair.goal) return length;
    for (int step = 0; step < 9; ++step) {
      // Beyond the left and the upper border, unsigned coordinates wrap around and are off the map as well.
      const cell next{.x = current.x + static_cast<std::uint32_t>(step % 3) - 1,
                      .y = current.y + static_cast<std::uint32_t>(step / 3) - 1};
      if (!map.is_legal(current, next)) continue;
      const double total = length + length_between(current, next);
      const auto [place, is_new] = best_lengths.try_emplace({next.x, next.y}, total);
      if (!is_new && place->second <= total + 1e-9) continue;
      place->second = total;
      open.push({total, {next.x, next.y}});
    }
  }
  return std::numeric_limits<double>::infinity();
}

/// Checks answers against Dijkstra's algorithm, and every step of their paths. @return the number of reached goals
std::size_t check_answers(const plain_map& map, const std::vector<grid_pair>& pairs, const path_answers& answers) {
  REQUIRE(answers.size() == pairs.size());
  std::size_t reached = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CAPTURE(i);
    const double expected = shortest(map, pairs[i]);
    const path_answer answer = answers[i];
    REQUIRE(answer.reached == std::isfinite(expected));
    if (!answer.reached) {
      CHECK(std::isinf(answer.length));
      if (answers.has_paths()) CHECK(answers.path(i).empty());
      continue;
    }
    ++reached;
    CHECK(answer.length == Approx(expected).margin(1e-9));
    CHECK(answer.length == Approx(answer.straight + answer.diagonal * std::sqrt(2.0)));
    if (!answers.has_paths()) continue;
    const std::vector<cell> path = answers.path(i);
    REQUIRE(path.size() == std::size_t{answer.straight} + answer.diagonal + 1);
    CHECK(path.front() == pairs[i].start);
    CHECK(path.back() == pairs[i].goal);
    double length = 0;
    for (std::size_t step = 1; step < path.size(); ++step) {
      if (!map.is_legal(path[step - 1], path[step])) FAIL("step " << step << " is not legal");
      length += length_between(path[step - 1], path[step]);
    }
    CHECK(length == Approx(expected).margin(1e-9));
  }
  CHECK(answers.shortest());
  CHECK(answers.check() == "");
  return reached;
}

}  // namespace

TEST_CASE("processors find Dijkstra's lengths and legal paths on drawn maps, by both corner rules") {
  const device processors("cpu:2");
  std::size_t reached = 0;
  std::size_t requested = 0;
  for (const corner_rule corners : {corner_rule::cut, corner_rule::none}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const plain_map map = random_map(seed < 4 ? 17 : 32, seed < 3 ? 23 : 9, corners, seed);
      path_finder finder(processors, map.to_grid());
      const std::vector<grid_pair> pairs = map.to_grid().random_pairs(40, seed);
      for (const char* const solver : {"solver=cpu_astar", "solver=cpu_jps", "solver=cpu_dijkstra"}) {
        CAPTURE(static_cast<int>(corners), seed, solver);
        reached += check_answers(map, pairs, finder.solve(pairs, options_with({solver})));
        requested += pairs.size();
      }
      const path_answers lengths = finder.solve(pairs);
      CHECK_FALSE(lengths.has_paths());
      check_answers(map, pairs, lengths);
    }
  }
  CHECK(reached > requested / 4);
  CHECK(reached < requested);
}

TEST_CASE("the simulator finds Dijkstra's lengths and legal paths on drawn maps, by both corner rules") {
  const device simulated = simulator();
  for (const corner_rule corners : {corner_rule::cut, corner_rule::none}) {
    const plain_map map = random_map(13, 11, corners, 7);
    path_finder finder(simulated, map.to_grid());
    const std::vector<grid_pair> pairs = map.to_grid().random_pairs(20, 3);
    for (const char* const chosen :
         {"", "algorithm=jump,threads=32", "open=small_queue,queue=heap,lanes=1,threads=32"}) {
      CAPTURE(static_cast<int>(corners), chosen);
      CHECK(check_answers(map, pairs, finder.solve(pairs, options_with({chosen}))) > 0);
    }
    // A configuration with paths=true returns paths even if the options do not request them.
    CHECK(finder.solve(pairs, options_with({"paths=true"}, false)).has_paths());
    CHECK_FALSE(finder.solve(pairs, options_with({""}, false)).has_paths());
  }
}

TEST_CASE("a search that ends where it begins, a map of one cell, no path, and no searches") {
  for (const device& target : {device("cpu:1"), simulator()}) {
    CAPTURE(target.facts().selector);
    const std::vector<std::uint8_t> one_cell = {1};
    path_finder single_cell(target, grid::from_cells(1, 1, one_cell, corner_rule::cut), {.paths = true});
    const path_answers same = single_cell.solve(std::vector<grid_pair>{{}, {}});
    REQUIRE(same.size() == 2);
    CHECK(same[1].reached);
    CHECK(same[1].length == 0);
    CHECK(same.path(1) == std::vector<cell>{{0, 0}});
    CHECK(same.check() == "");

    const std::vector<std::uint8_t> wall = {1, 0, 2};
    path_finder walled(target, grid::from_cells(3, 1, wall, corner_rule::none), {.paths = true});
    const path_answers none = walled.solve(std::vector<grid_pair>{{{0, 0}, {2, 0}}, {{2, 0}, {2, 0}}});
    CHECK_FALSE(none[0].reached);
    CHECK(none.path(0).empty());
    CHECK(none[1].length == 0);
    CHECK(none.check() == "");

    const path_answers nothing = walled.solve({});
    CHECK(nothing.size() == 0);
    CHECK(nothing.has_paths());
    CHECK(nothing.check() == "");
    CHECK_FALSE(nothing.choice().configuration.empty());
  }
}

TEST_CASE("a path finder refuses invalid input with one line, and stays usable") {
  const std::vector<std::uint8_t> cells = {1, 1, 0, 1, 1, 1};
  const grid map = grid::from_cells(3, 2, cells, corner_rule::cut, "room");
  const std::vector<grid_pair> fine = {{{0, 0}, {2, 1}}};
  for (const device& target : {device("cpu:1"), simulator()}) {
    CAPTURE(target.facts().selector);
    const bool on_processors = target.facts().kind == "cpu";
    path_finder finder(target, map, {.paths = true});
    const auto works = [&] { CHECK(finder.solve(fine)[0].length == Approx(1 + std::sqrt(2.0))); };
    CHECK_FALSE(finder.resident());
    works();
    CHECK(finder.resident());
    const auto error_of = [&](const std::vector<grid_pair>& pairs, const path_options& options) {
      std::string message;
      try {
        (void)finder.solve(pairs, options);
      } catch (const input_error& error) {
        message = error.what();
      }
      CHECK(message.find('\n') == std::string::npos);
      works();
      return message;
    };
    CHECK(error_of({fine[0], {{0, 0}, {3, 0}}}, {}) == "pair 1: the goal 3,0 is off the map room, which is 3 x 2");
    CHECK(error_of({{{1, 7}, {0, 0}}}, {}) == "pair 0: the start 1,7 is off the map room, which is 3 x 2");
    CHECK(error_of({{{2, 0}, {0, 0}}}, {}) == "pair 0: the start 2,0 is on an obstacle of room");
    CHECK_THAT(error_of(fine, options_with({"algoritm=jump"})), Contains("algoritm"));
    CHECK_THAT(error_of(fine, {.time_limit_ms = 0}), Contains("time limit"));
    CHECK_THROWS_WITH(finder.solve(fine)[1], Contains("pair 1: index out of range, expected less than 1"));
    CHECK_THROWS_WITH(finder.solve(fine, options_with({on_processors ? "solver=cpu_astar" : ""}, false)).path(0),
                      Contains("path_options::paths"));
    CHECK_THROWS_AS(finder.solve(fine, options_with({on_processors ? "solver=warp" : "solver=cpu_jps"})),
                    unsuitable_error);
    works();
  }
}

TEST_CASE("searches that take too long end as timeouts, and the finder remains usable") {
  const grid map = grid::open("grid24:seed=3");
  const std::vector<grid_pair> pairs = map.random_pairs(64);
  for (const device& target : {device("cpu:1"), simulator()}) {
    CAPTURE(target.facts().selector);
    path_finder finder(target, map);
    try {
      // With few warps and many cells each, a warp checks the clock only occasionally.
      const std::string chosen = target.facts().kind == "cpu" ? "solver=cpu_astar" : "cells=1,threads=32,blocks=1";
      (void)finder.solve(pairs, {.configurations = {chosen}, .time_limit_ms = 1e-6});
      FAIL("it ended in time");
    } catch (const search_error& error) {
      CHECK(error.why == search_error::reason::time_limit);
      CHECK_THAT(error.what(), Contains("64 searches"));
    }
    CHECK(finder.solve(pairs).check() == "");
  }
}

TEST_CASE("paths are exact unless a configuration says mode=paper") {
  const grid map = grid::open("grid16:seed=2");
  const std::vector<grid_pair> pairs = map.random_pairs(12);
  path_finder finder(simulator(), map);
  CHECK(finder.solve(pairs).shortest());
  const path_answers half = finder.solve(pairs, options_with({"mode=paper,cells=8"}));
  CHECK_FALSE(half.shortest());
  CHECK(half.check() == "");
}

TEST_CASE("threads share a device, a path finder and its answers, which outlive it") {
  const plain_map map = random_map(20, 20, corner_rule::none, 5);
  const grid tested = map.to_grid();
  std::optional<path_finder> shared;
  {
    const device processors("cpu:2");
    shared.emplace(processors, tested);
  }
  const std::vector<grid_pair> common = tested.random_pairs(10, 9);
  const path_answers answers = shared->solve(common, options_with({"solver=cpu_jps"}));
  std::array<std::optional<path_answers>, 3> results;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 4; ++i) results[t] = shared->solve(tested.random_pairs(20, t), options_with({}));
      (void)answers.path(3);
    });
  }
  for (std::thread& thread : threads) thread.join();
  shared.reset();
  for (std::size_t t = 0; t < results.size(); ++t) check_answers(map, tested.random_pairs(20, t), *results[t]);
  check_answers(map, common, answers);
}
