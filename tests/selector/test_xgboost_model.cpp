// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "selector/xgboost_model.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

/// y depends on both columns; every fifth value of the second is missing.
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

TEST_CASE("what cannot be trained on is refused with one line") {
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

TEST_CASE("what is not a model is refused with XGBoost's reason in one line") {
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
