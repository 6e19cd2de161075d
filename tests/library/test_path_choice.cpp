// SPDX-License-Identifier: Apache-2.0
// The source of the path finder's configuration, and the state that the path finder keeps between calls.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "selector/ranking_model.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using Catch::Contains;

/// The simulator, with compiled kernels in the build folder.
device simulator() { return detail::adopt(problems::tests::open_simulator()); }

path_options options_with(std::vector<std::string> configurations) {
  path_options options;
  options.configurations = std::move(configurations);
  return options;
}

/// Ranks the same configurations in the same order for every map.
struct fixed_ranking final : selector::ranking_model {
  fixed_ranking(std::string problem, std::vector<std::string> best_first) : labels(std::move(best_first)) {
    name_ = "fixed.json";
    trained_for_ = std::move(problem);
  }

  [[nodiscard]] std::span<const std::string_view> features() const override { return names; }
  [[nodiscard]] std::vector<selector::predicted_label> ranked(std::span<const double> values) const override {
    CHECK(values[0] == 7);
    CHECK(std::isnan(values[1]));
    std::vector<selector::predicted_label> list;
    for (const std::string& label : labels) list.push_back({.label = label, .predicted = 0.5});
    return list;
  }

  static constexpr std::array<std::string_view, 2> names = {"width", "unheard_of"};
  std::vector<std::string> labels;
};

model fixed(const std::string& problem, std::vector<std::string> best_first) {
  return detail::model_of(std::make_shared<const fixed_ranking>(problem, std::move(best_first)));
}

}  // namespace

TEST_CASE(
    "the first configuration of a list that the device can run is used, and without a list the device's default") {
  const std::vector<std::uint8_t> cells(49, 1);
  const grid map = grid::from_cells(7, 7, cells, corner_rule::none);
  const std::vector<grid_pair> pairs = {{{0, 0}, {6, 5}}};
  const path_answers listed = path_finder(device("cpu:1"), map)
                                  .solve(pairs, options_with({"threads=64", "solver=cpu_astar", "solver=cpu_jps"}));
  CHECK(listed.choice().configuration == "solver=cpu_astar");
  CHECK(listed.choice().chosen_by == choice::source::caller);

  path_finder on_processors(device("cpu:1"), map);
  CHECK(on_processors.choose().configuration == "solver=cpu_jps");
  CHECK(on_processors.solve(pairs).choice().reason == "the default on processors");
  path_finder simulated(simulator(), map);
  CHECK(simulated.choose().chosen_by == choice::source::standard);
  CHECK(simulated.solve(pairs).choice().configuration == simulated.choose().configuration);

  // The first is for processors.
  const model picks = fixed("astar", {"solver=cpu_jps", "threads=32,cells=2", "threads=32"});
  const path_answers second = simulated.solve(pairs, {.model = picks});
  CHECK_THAT(second.choice().configuration, Contains("cells=2"));
  CHECK(second.choice().chosen_by == choice::source::model);
  CHECK(second.choice().predicted == 0.5);
  const path_answers none = simulated.solve(pairs, {.model = fixed("astar", {"solver=cpu_jps"})});
  CHECK(none.choice().chosen_by == choice::source::standard);
  CHECK_THAT(none.choice().reason, Contains("none of the selector's candidates"));
  CHECK_THROWS_WITH(simulated.solve(pairs, {.model = fixed("astar", {"solver=gone"})}), Contains("fixed.json"));
  CHECK_THROWS_WITH(simulated.solve(pairs, {.model = fixed("sssp", {})}),
                    Contains("fixed.json: the selector was trained for problem 'sssp', not for 'astar'"));
  CHECK_THROWS_WITH(solver(device("cpu:1"), digraph::open("path4")).solve(0, {.model = picks}),
                    Contains("trained for problem 'astar'"));
}

TEST_CASE("maps are uploaded once, kernels are compiled once, and work is counted on request") {
  const grid map = grid::open("grid16:seed=2");
  path_finder finder(simulator(), map, options_with({"threads=32"}));
  CHECK(finder.upload() > 0);
  CHECK(finder.upload() == 0);
  const path_answers first = finder.solve(map.random_pairs(3));
  CHECK(first.times().compile > 0);
  CHECK(first.times().solve > 0);
  CHECK(first.times().download > 0);
  CHECK(first.counters().empty());
  const path_answers second = finder.solve(map.random_pairs(30));
  CHECK(second.times().compile == 0);
  CHECK(second.times().prepare == 0);
  path_options counting = options_with({"threads=32"});
  counting.counters = true;
  const path_answers counted = finder.solve(map.random_pairs(4), counting);
  const std::map<std::string, double> counters(counted.counters().begin(), counted.counters().end());
  CHECK(counters.at("searches") == 4);
  CHECK(counters.at("expansions") > 0);
  CHECK(finder.solve(map.random_pairs(3)).counters().empty());
}
