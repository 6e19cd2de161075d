// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "selector/xgboost_model.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

/// A data set in which y depends on both columns; every fifth value of the second is missing.
struct small_problem {
  dense_matrix inputs{60, 2, {}};
  std::vector<float> labels;
  std::vector<std::string> names{"first", "second \"quoted\""};

  small_problem() {
    for (int i = 0; i < 60; ++i) {
      inputs.values.push_back(static_cast<float>(i) * 0.37F);
      inputs.values.push_back(i % 5 == 0 ? NAN : static_cast<float>(i % 7));
      labels.push_back(static_cast<float>(i % 7) * 0.1F + static_cast<float>(i) * 0.01F);
    }
  }

  [[nodiscard]] xgboost_model train(const train_settings& settings = {}) const {
    return xgboost_model::train(inputs, labels, names, settings);
  }
};

}  // namespace

TEST_CASE("training learns, and twice gives the same bytes") {
  const small_problem problem;
  for (const char* method : {"exact", "hist"}) {
    train_settings settings;
    settings.tree_method = method;
    settings.subsample = 0.8;
    settings.seed = 7;
    const xgboost_model model = problem.train(settings);
    CHECK(model.to_json() == problem.train(settings).to_json());
    const std::vector<float> predictions = model.predict(problem.inputs);
    REQUIRE(predictions.size() == 60);
    for (std::size_t i = 0; i < 60; ++i) CHECK(predictions[i] == Approx(problem.labels[i]).margin(0.1));
  }
}

TEST_CASE("a model survives its JSON bit for bit") {
  const small_problem problem;
  xgboost_model model = problem.train();
  const xgboost_model loaded = xgboost_model::from_json(model.to_json());
  CHECK(loaded.predict(problem.inputs) == model.predict(problem.inputs));
  CHECK(loaded.to_json() == model.to_json());
  CHECK_THAT(loaded.to_json(), Contains(R"("feature_names":["first","second \"quoted\""])"));
  const xgboost_model moved = std::move(model);
  CHECK(moved.predict(problem.inputs) == loaded.predict(problem.inputs));
}

TEST_CASE("leaves have XGBoost's numbers, and a tree grown for a gradient follows it") {
  const small_problem problem;
  const xgboost_model model = problem.train({.rounds = 3, .max_depth = 2});
  const std::vector<std::int32_t> leaves = model.predict_leaves(problem.inputs);
  REQUIRE(leaves.size() == 60 * 3);
  // Rows in the same leaves have the same prediction.
  const std::vector<float> predictions = model.predict(problem.inputs);
  std::map<std::vector<std::int32_t>, float> of_leaves;
  for (std::size_t row = 0; row < 60; ++row) {
    const std::vector<std::int32_t> key(leaves.begin() + static_cast<std::ptrdiff_t>(3 * row),
                                        leaves.begin() + static_cast<std::ptrdiff_t>(3 * row + 3));
    CHECK(of_leaves.emplace(key, predictions[row]).first->second == predictions[row]);
  }
  CHECK(of_leaves.size() > 4);

  const tree_grower grower(problem.inputs, {.max_depth = 1, .tree_method = "hist", .max_bin = 16});
  std::vector<float> gradient;
  for (std::size_t row = 0; row < 60; ++row) gradient.push_back(row < 30 ? 1.0F : -1.0F);
  const std::vector<float> ones(60, 1.0F);
  const xgboost_model tree = grower.grow(gradient, ones, 0);
  const std::vector<std::int32_t> sides = tree.predict_leaves(problem.inputs);
  CHECK(sides[0] == 1);
  CHECK(sides[59] == 2);
  CHECK(tree.to_json() == grower.grow(gradient, ones, 0).to_json());
  gradient.pop_back();
  CHECK_THROWS_AS(grower.grow(gradient, ones, 0), input_error);
}

TEST_CASE("unusable training sets are refused with one line") {
  const small_problem problem;
  train_settings settings;
  settings.eta = 0;
  CHECK_THROWS_WITH(problem.train(settings), "training settings: eta must be in (0,1]");
  settings = {};
  settings.tree_method = "approx";
  CHECK_THROWS_AS(problem.train(settings), input_error);
  settings = {};
  settings.rounds = 0;
  CHECK_THROWS_AS(problem.train(settings), input_error);
  small_problem short_labels;
  short_labels.labels.pop_back();
  CHECK_THROWS_AS(short_labels.train(), input_error);
  small_problem bad_shape;
  bad_shape.inputs.values.pop_back();
  CHECK_THROWS_AS(bad_shape.train(), input_error);
  small_problem infinite;
  infinite.inputs.values[3] = INFINITY;
  CHECK_THROWS_AS(infinite.train(), work_error);
}

TEST_CASE("an invalid model is refused with XGBoost's reason in one line") {
  for (const char* text : {"", "{", "{\"a\":", "{\"learner\":{}}", "binf", "hello"}) {
    INFO(text);
    try {
      (void)xgboost_model::from_json(text);
      FAIL("accepted");
    } catch (const input_error& error) {
      const std::string message = error.what();
      CHECK(message.find('\n') == std::string::npos);
      CHECK(message.starts_with("XGBoost model: "));
    }
  }
}
