// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "base/error.hpp"
#include "selector/encoding.hpp"
#include "selector/inference.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;

TEST_CASE("the selector ranks as it predicts and selects the first") {
  const model trained = synthetic::quick_model();
  const class selector chooser(trained);
  for (const workload_example& workload : synthetic::make(30, 4).workloads) {
    const std::vector<double> features = pick_features(chooser.features(), synthetic::features, workload.features);
    const std::vector<float> predictions = chooser.predict_all(features);
    REQUIRE(predictions.size() == trained.candidates.size());
    const auto ranked = chooser.ranked(features);
    REQUIRE(ranked.size() == predictions.size());
    CHECK(ranked.front().candidate == chooser.select(features));
    for (std::size_t i = 1; i < ranked.size(); ++i) {
      CHECK(ranked[i - 1].predicted >= ranked[i].predicted);
      if (ranked[i - 1].predicted == ranked[i].predicted) CHECK(ranked[i - 1].candidate < ranked[i].candidate);
    }
    CHECK(ranked.front().predicted == predictions[ranked.front().candidate]);
  }
  CHECK(chooser.label(0) == trained.candidates[0].label);
  CHECK(chooser.provenance().workloads == 48);
}

TEST_CASE("the selector learns which configuration suits which workload") {
  const class selector chooser(synthetic::quick_model());
  synthetic::random numbers(77);
  double sum = 0;
  for (const workload_example& workload : synthetic::workloads(30, numbers)) {
    const candidate& chosen =
        chooser.candidates()[chooser.select(pick_features(chooser.features(), synthetic::features, workload.features))];
    double best = INFINITY;
    for (const candidate& configuration : chooser.candidates())
      best = std::min(best, synthetic::milliseconds(workload, configuration));
    sum += best / synthetic::milliseconds(workload, chosen);
  }
  CHECK(sum / 30 > 0.9);
}

TEST_CASE("equal predictions go to the lowest index, and unknown features are no error") {
  // With one workload and equal times, every candidate has relative performance 1.
  training_set set = synthetic::make(1);
  for (observation& measurement : set.observations) measurement.milliseconds = 2.0;
  const class selector chooser(train_model(set, synthetic::quick_settings(), {}));
  // Even if no tree compares a feature, the model requires the first one.
  REQUIRE(chooser.features() == std::vector<std::string>{"m"});
  CHECK(chooser.select(std::vector<double>{5}) == 0);
  const std::vector<double> unknown{std::nan("")};
  CHECK(chooser.select(unknown) == 0);
  CHECK(chooser.ranked(unknown)[1].candidate == 1);
}

TEST_CASE("a selector takes one value for each of its features") {
  const class selector chooser(synthetic::tiny_model());
  const std::vector<double> too_many(chooser.features().size() + 1, 1.0);
  CHECK_THROWS_AS(chooser.select(too_many), std::invalid_argument);
  CHECK_THROWS_AS(chooser.ranked(too_many), std::invalid_argument);
  CHECK_THROWS_AS(chooser.expected_best_ms(too_many, 1, 1), std::invalid_argument);
}

TEST_CASE("a selector refuses a model whose parts do not fit") {
  model trained = synthetic::tiny_model();
  trained.starts.pop_back();
  CHECK_THROWS_AS(selector::selector(trained), input_error);
  trained = synthetic::tiny_model();
  trained.candidates.pop_back();
  CHECK_THROWS_AS(selector::selector(trained), input_error);
  trained = synthetic::tiny_model();
  trained.inputs.features.emplace_back("more");
  CHECK_THROWS_AS(selector::selector(trained), input_error);
  trained = synthetic::tiny_model();
  trained.trees.reset();
  CHECK_THROWS_AS(selector::selector(trained), input_error);
}
