// SPDX-License-Identifier: Apache-2.0
// Maps of the public interface: from files, from generators, from memory.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "mlmq/mlmq.hpp"

namespace {

using namespace mlmq;
using Catch::Contains;

}  // namespace

TEST_CASE("maps come from files, texts and cells, and errors name the place") {
  const grid tiny = grid::open(MLMQ_TEST_MAPS "/tiny.map");
  CHECK(tiny.name() == "tiny");
  CHECK(tiny.corners() == corner_rule::none);
  CHECK(grid::open(MLMQ_TEST_MAPS "/tiny.map", corner_rule::cut).corners() == corner_rule::cut);
  const std::vector<scenario> scenarios = tiny.scenarios();
  REQUIRE(scenarios.size() > 10);
  CHECK(scenarios.size() == tiny.scenarios(MLMQ_TEST_MAPS "/tiny.map.scen").size());
  std::vector<grid_pair> pairs;
  for (const scenario& entry : scenarios) pairs.push_back(entry.pair);
  const path_answers answers = path_finder(device("cpu:2"), tiny).solve(pairs);
  for (std::size_t i = 0; i < scenarios.size(); ++i)
    CHECK(answers[i].length == Approx(scenarios[i].length).margin(0.0051));
  CHECK_THROWS_WITH(grid::open("grid8").scenarios(MLMQ_TEST_MAPS "/tiny.map.scen"), Contains("tiny.map.scen:2"));

  const grid drawn_map = grid::open("grid20x10:density=0.3:seed=4");
  CHECK(drawn_map.width() == 20);
  CHECK(drawn_map.height() == 10);
  CHECK(drawn_map.corners() == corner_rule::cut);
  CHECK(grid::open("grid20x10:density=0.3:seed=4", corner_rule::none).corners() == corner_rule::none);
  std::size_t free = 0;
  for (std::uint32_t y = 0; y < 12; ++y) {
    for (std::uint32_t x = 0; x < 22; ++x) free += drawn_map.is_free(x, y) ? 1 : 0;
  }
  CHECK(free == drawn_map.free_cells());
  CHECK(drawn_map.random_pairs(5, 2) == drawn_map.random_pairs(5, 2));

  const std::vector<std::uint8_t> two = {0, 1};
  CHECK(grid::from_cells(2, 1, two, corner_rule::cut).is_free(1, 0));
  CHECK_FALSE(grid::from_cells(2, 1, two, corner_rule::cut).is_free(0, 0));
  const auto error_of = [](const auto& make) {
    try {
      make();
      return std::string("nothing");
    } catch (const input_error& error) {
      return std::string(error.what());
    }
  };
  CHECK(error_of([&] { (void)grid::from_cells(2, 2, two, corner_rule::cut, "m"); }) ==
        "m: 2 cells are given for a map of 2 x 2 cells");
  CHECK(error_of([&] { (void)grid::from_cells(0, 2, two, corner_rule::cut, "m"); }) ==
        "m: 0 x 2 cells, expected sides of 1 to 16384 cells");
  CHECK_THAT(error_of([&] { (void)grid::from_cells(20000, 1, two, corner_rule::cut); }), Contains("16384"));
  CHECK_THAT(error_of([] { (void)grid::open("nowhere.map"); }), Contains("nowhere.map: there is no such file"));
  CHECK_THAT(error_of([] { (void)grid::open("grid8:densty=1"); }), Contains("did you mean 'density'"));
  CHECK_THAT(error_of([] { (void)grid::open("grid8:corners=cut", corner_rule::none); }), Contains("given twice"));
  CHECK_THAT(error_of([] { (void)grid::open("grid8").scenarios(); }), Contains("was not read from a file"));
  const std::vector<std::uint8_t> blocked = {0, 0};
  CHECK_THAT(error_of([&] { (void)grid::from_cells(2, 1, blocked, corner_rule::cut).random_pairs(1); }),
             Contains("no free cell"));
}
