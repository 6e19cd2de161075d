// SPDX-License-Identifier: Apache-2.0
// Searches on processors: the oracle against scenarios with printed lengths, all others against the oracle.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "problems/astar/answer_check.hpp"
#include "problems/astar/generate.hpp"
#include "problems/astar/map_file.hpp"
#include "problems/astar/pairs.hpp"

using namespace mlmq;
using namespace mlmq::astar;

namespace {

/// Checks up to `most` scenarios of a map, evenly spaced. @return the number of checked scenarios
std::size_t check_scenarios(const std::filesystem::path& map_file, const std::filesystem::path& scenarios,
                            std::size_t most) {
  const grid map = read_map(map_file, corner_rule::none);
  const std::filesystem::path name = map_file.extension() == ".gz" ? map_file.stem() : map_file.filename();
  const auto read = read_scenarios(scenarios, map, name.string()).scenarios;
  std::size_t checked = 0;
  for (const auto& searcher_name : searcher_names()) {
    if (searcher_name == "dijkstra" && map.numbers() > 10000) continue;
    const auto searcher = make_searcher(searcher_name, map);
    for (std::size_t i = 0; i < read.size(); i += std::max<std::size_t>(1, read.size() / most)) {
      CAPTURE(map_file.string(), searcher_name, read[i].line);
      const units length = searcher->run({.start = read[i].start, .goal = read[i].goal});
      REQUIRE(length < no_length);
      REQUIRE(std::abs(counts_of_units(static_cast<std::uint32_t>(length)).length() - read[i].length) <=
              length_tolerance);
      ++checked;
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("lengths convert back to numbers of steps and compare exactly, as multiples of the square root of 2") {
  for (const step_counts counts :
       {step_counts{0, 0}, {1, 0}, {0, 1}, {53166, 0}, {0, 37594}, {100, 37000}, {40000, 9000}}) {
    CHECK(counts_of_units(static_cast<std::uint32_t>(units_of(counts))) == counts);
  }
  // The two closest sums with fewer than 37,594 diagonal steps; the numbers of steps are neighbouring convergents.
  std::uint32_t straight = 1;
  std::uint32_t diagonal = 1;
  while (diagonal < 33461) {
    const bool longer = std::uint64_t{straight} * straight > 2 * std::uint64_t{diagonal} * diagonal;
    CHECK((units_of({straight, 0}) > units_of({0, diagonal})) == longer);
    const std::uint32_t next = straight + 2 * diagonal;
    diagonal += straight;
    straight = next;
  }
}

TEST_CASE("all searches find the printed lengths of a small map") {
  const std::filesystem::path maps = MLMQ_ASTAR_MAPS;
  CHECK(check_scenarios(maps / "tiny.map", maps / "tiny.map.scen", 100000) > 300);
}

TEST_CASE("all searches find the printed lengths of the maps of a folder") {
  const char* const folder = std::getenv("MLMQ_GRID_MAPS");
  if (folder == nullptr) {
    WARN("MLMQ_GRID_MAPS names no folder of maps with scenarios");
    return;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string file = entry.path().string();
    if (!file.ends_with(".map.gz")) continue;
    CHECK(check_scenarios(entry.path(), file.substr(0, file.size() - 3) + ".scen.gz", 100) > 0);
  }
}

TEST_CASE("A* and jump point search agree with Dijkstra's algorithm by both corner rules") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    for (const corner_rule corners : {corner_rule::cut, corner_rule::none}) {
      for (const double density : {0.1, 0.25, 0.5}) {
        const grid map = generate({.width = 3 + seed * 7 % 90,
                                   .height = 1 + seed * 13 % 70,
                                   .density = density,
                                   .eta = seed % 3 == 0 ? 0.4 : 1,
                                   .seed = seed,
                                   .corners = corners});
        if (map.free_cells() == 0) continue;
        const auto oracle = make_searcher("dijkstra", map);
        const auto astar = make_searcher("astar", map);
        const auto jps = make_searcher("jps", map);
        for (const cell_pair& pair : drawn_pairs(map, 15, seed)) {
          CAPTURE(seed, density, name_of(corners), pair.start, pair.goal);
          const units length = oracle->run(pair);
          REQUIRE(astar->run(pair) == length);
          REQUIRE(jps->run(pair) == length);
        }
      }
    }
  }
}

TEST_CASE("start and goal may be the same cell, and may have no path between them") {
  std::vector<bool> free(25, true);
  for (std::size_t row = 0; row < 5; ++row) free[row * 5 + 2] = false;
  const grid map(5, 5, free, corner_rule::cut);
  for (const auto& name : searcher_names()) {
    const auto searcher = make_searcher(name, map);
    CHECK(searcher->run({.start = map.cell(1, 1), .goal = map.cell(1, 1)}) == 0);
    CHECK(searcher->run({.start = map.cell(1, 1), .goal = map.cell(4, 4)}) == unreachable);
    CHECK(searcher->run({.start = map.cell(0, 0), .goal = map.cell(1, 4)}) == units_of({.straight = 3, .diagonal = 1}));
  }
  CHECK(make_searcher("best", map) == nullptr);
}

TEST_CASE("searches by several threads give the same answers as by one") {
  const grid map = generate(recipe_of("grid40:seed=3"));
  const auto pairs = drawn_pairs(map, 50, 1);
  CHECK(solve_all(map, pairs, 3) == solve_all(map, pairs, 1));
}

TEST_CASE("answers of processors are checked by another algorithm than theirs") {
  const grid map = generate(recipe_of("grid40:seed=3"));
  reference right{.searches = {.pairs = drawn_pairs(map, 20, 1), .printed = {}}};
  right.compute(map, "cpu_astar", 1);
  CHECK(right.computed_by == "dijkstra");
  const std::vector<units> by_dijkstra = right.lengths;
  right.compute(map, "cpu_dijkstra", 1);
  CHECK(right.computed_by == "astar");
  CHECK(right.lengths == by_dijkstra);
}
