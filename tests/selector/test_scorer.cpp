// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "selector/scorer.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;

namespace {

/// A record in which the ratios of weights are often unknown, and what is unknown matters in different ways: trees then
/// have default sides of both kinds, also one below the other.
training_set with_unknown_ratios() {
  const std::array<std::size_t, 8> some{0, 3, 8, 11, 14, 17, 20, 26};
  training_set set = keep_candidates(synthetic::make(60), some);
  for (std::size_t g = 0; g < set.graphs.size(); ++g) {
    if (g % 3 == 0) set.graphs[g].features[5] = 0;
  }
  for (observation& one : set.observations) {
    const bool unknown = set.graphs[one.graph].features[5] == 0;
    if (unknown) one.milliseconds *= 1 + static_cast<double>((one.candidate * 7 + one.graph) % 5);
  }
  return set;
}

/// Rows of graph features: thresholds and their neighbours, and weights that leave ratios unknown.
std::vector<std::vector<float>> rows_for(const model& trained) {
  synthetic::random numbers(8);
  std::vector<std::vector<float>> rows;
  for (const model_member& member : trained.members) {
    const forest trees = parse_xgboost_json(member.xgboost_json);
    for (auto& row : synthetic::revealing_rows(trees, trained.graph.features.size(), 400, numbers)) {
      if (rows.size() % 3 == 0 && row.size() > 5) row[5] = 0;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

void check_equals_xgboost(const model& trained) {
  const scorer trees = make_scorer(trained);
  const auto rows = rows_for(trained);
  const std::vector<float> expected = synthetic::predicted_by_xgboost(trained, rows);
  std::vector<float> scores(trained.candidates.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    trees.score(synthetic::asked(trees.graph, trained, rows[i]), scores);
    for (std::size_t c = 0; c < scores.size(); ++c)
      different +=
          std::bit_cast<std::uint32_t>(scores[c]) != std::bit_cast<std::uint32_t>(expected[i * scores.size() + c]);
  }
  CHECK(rows.size() > 400);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("scores equal XGBoost's bit for bit, also where unknown inputs go different ways") {
  for (const method how : {method::relative, method::classification}) {
    INFO(to_string(how));
    learning one = synthetic::quick_settings(how);
    one.trees.max_depth = 7;
    const model trained = train_model(with_unknown_ratios(), one, {});
    bool left = false;
    bool right = false;
    const forest trees = parse_xgboost_json(trained.members[0].xgboost_json);
    for (std::size_t node = 0; node < trees.feature.size(); ++node) {
      if (trees.feature[node] == 11 || trees.feature[node] == 12) (trees.default_left[node] != 0 ? left : right) = true;
    }
    CHECK((left && right));
    check_equals_xgboost(trained);
  }
}

TEST_CASE("a model of more features asks for those that its trees look at, and scores as XGBoost with all of them") {
  const std::array<std::size_t, 8> some{0, 1, 8, 9, 14, 17, 20, 26};
  const training_set wide = keep_candidates(synthetic::make_wide(60), some);
  for (const method how : {method::relative, method::classification, method::forest}) {
    INFO(to_string(how));
    const model trained = train_model(wide, synthetic::quick_settings(how), {});
    REQUIRE(trained.graph.features == wide.features);
    const scorer trees = make_scorer(trained);
    const std::vector<std::string>& asked = trees.graph.features;
    CHECK(std::find(asked.begin(), asked.end(), "hops") != asked.end());
    CHECK(std::find(asked.begin(), asked.end(), "reach_share") == asked.end());
    CHECK(asked.size() < wide.features.size());
    check_equals_xgboost(trained);
  }
}

TEST_CASE("a ratio is asked for by the features that it is of") {
  // Only the ratio of the two tells which candidate is faster.
  training_set set;
  set.features = {"avg_weight", "m", "max_weight"};
  set.candidates = {{"a", {{"l1", "none"}}}, {"b", {{"l1", "vector"}}}};
  synthetic::random numbers(3);
  for (std::size_t g = 0; g < 200; ++g) {
    const double average = 1 + 1e6 * numbers.uniform();
    const bool skewed = numbers.below(2) == 0;
    set.graphs.push_back({std::to_string(g), std::to_string(g), "", {average, 1000, average * (skewed ? 100 : 2)}});
    set.observations.push_back({g, 0, skewed ? 1.0 : 2.0, true});
    set.observations.push_back({g, 1, skewed ? 2.0 : 1.0, true});
  }
  learning stumps = synthetic::quick_settings(method::classification);
  stumps.trees.max_depth = 1;
  stumps.trees.rounds = 1;
  stumps.trees.colsample = 1;
  const model trained = train_model(set, stumps, {});
  const scorer trees = make_scorer(trained);
  CHECK(trees.graph.names() ==
        std::vector<std::string>{"graph.avg_weight", "graph.max_weight", "graph.max_weight/avg_weight"});
  check_equals_xgboost(trained);
}

TEST_CASE("trees that grow too large are divided among the candidates, without a change of a bit") {
  learning deep = synthetic::quick_settings();
  deep.trees.max_depth = 12;
  deep.trees.min_child_weight = 0;
  deep.trees.rounds = 8;
  const model trained = train_model(with_unknown_ratios(), deep, {});
  const scorer trees = make_scorer(trained);
  CHECK(trees.roots.size() > 8);
  check_equals_xgboost(trained);
}

TEST_CASE("trees with an output per candidate store one value per leaf") {
  const model trained = synthetic::quick_model(method::classification);
  const scorer trees = make_scorer(trained);
  REQUIRE(trees.parts.size() == 1);
  CHECK(trees.parts[0].single);
  CHECK(trees.roots.size() == 40 * trained.candidates.size());
  CHECK_FALSE(make_scorer(synthetic::quick_model()).parts[0].single);
}

TEST_CASE("a model whose outputs are not its candidates is refused") {
  model trained = synthetic::quick_model(method::classification);
  trained.candidates.pop_back();
  trained.encodings.pop_back();
  CHECK_THROWS_AS(make_scorer(trained), input_error);
}
