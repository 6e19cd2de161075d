// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "selector/encoding.hpp"
#include "selector/inference.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;

TEST_CASE("the selector ranks as it predicts and selects the first") {
  const model trained = synthetic::quick_model();
  const class selector chooser(trained);
  const xgboost_model reference = xgboost_model::from_json(trained.members.at(0).xgboost_json);
  for (const graph_example& graph : synthetic::make(30, 4).graphs) {
    const std::vector<double> known = pick_features(chooser.features(), synthetic::features, graph.features);
    const std::vector<float> predictions = chooser.predict_all(known);
    REQUIRE(predictions.size() == trained.candidates.size());
    dense_matrix rows{predictions.size(), trained.feature_names.size(), {}};
    for (const auto& encoding : trained.encodings) {
      for (float feature : trained.graph.inputs(graph.features)) rows.values.push_back(feature);
      rows.values.insert(rows.values.end(), encoding.begin(), encoding.end());
    }
    CHECK(reference.predict(rows) == predictions);

    const auto ranked = chooser.ranked(known);
    REQUIRE(ranked.size() == predictions.size());
    CHECK(ranked.front().candidate == chooser.select(known));
    for (std::size_t i = 1; i < ranked.size(); ++i) {
      CHECK(ranked[i - 1].predicted >= ranked[i].predicted);
      if (ranked[i - 1].predicted == ranked[i].predicted) CHECK(ranked[i - 1].candidate < ranked[i].candidate);
    }
    CHECK(ranked.front().predicted == predictions[ranked.front().candidate]);
  }
  CHECK(chooser.label(0) == trained.candidates[0].label);
  CHECK(chooser.provenance().graphs == 48);
}

TEST_CASE("the selector learns which configuration suits which graph") {
  const class selector chooser(synthetic::quick_model());
  synthetic::random numbers(77);
  for (const graph_example& graph : synthetic::graphs(30, numbers)) {
    const candidate& chosen =
        chooser.candidates()[chooser.select(pick_features(chooser.features(), synthetic::features, graph.features))];
    double best = INFINITY;
    for (const candidate& one : chooser.candidates()) best = std::min(best, synthetic::milliseconds(graph, one));
    CHECK(best / synthetic::milliseconds(graph, chosen) > 0.7);
  }
}

TEST_CASE("equal predictions go to the lowest index, and unknown features are no error") {
  // With one graph and equal times, every candidate has relative performance 1.
  training_set set = synthetic::make(1);
  for (observation& one : set.observations) one.milliseconds = 2.0;
  const class selector chooser(train_model(set, synthetic::quick_settings(), {}));
  // Where no tree compares anything, the first feature is asked for all the same.
  REQUIRE(chooser.features() == std::vector<std::string>{"m"});
  CHECK(chooser.select(std::vector<double>{5}) == 0);
  const std::vector<double> unknown{std::nan("")};
  CHECK(chooser.select(unknown) == 0);
  CHECK(chooser.ranked(unknown)[1].candidate == 1);
}

TEST_CASE("a selector refuses a model whose parts do not fit") {
  model trained = synthetic::tiny_model();
  trained.encodings[1].pop_back();
  CHECK_THROWS_AS(selector::selector(trained), input_error);
  trained = synthetic::tiny_model();
  trained.candidates.pop_back();
  CHECK_THROWS_AS(selector::selector(trained), input_error);
}
