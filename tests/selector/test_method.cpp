// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "selector/inference.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

TEST_CASE("methods have names") {
  std::set<std::string_view> names;
  for (const method kind : all_methods) {
    CHECK(method_from(to_string(kind)) == kind);
    names.insert(to_string(kind));
  }
  CHECK(names.size() == all_methods.size());
  CHECK_THROWS_WITH(method_from("guess"), Contains("'guess'") && Contains("boosted, kernel, forest"));
}

TEST_CASE("every method predicts relative performance") {
  const training_set set = synthetic::make();
  const performance_matrix matrix(set);
  for (const method kind : all_methods) {
    INFO(to_string(kind));
    const class selector chooser(synthetic::quick_model(kind));
    double error = 0;
    for (std::size_t w = 0; w < set.workloads.size(); ++w) {
      const auto predicted = chooser.predict_all(synthetic::model_inputs(chooser, set, set.workloads[w]));
      for (std::size_t c = 0; c < predicted.size(); ++c) {
        std::size_t original = 0;
        while (set.candidates[original].label != chooser.label(c)) ++original;
        error += std::abs(double{predicted[c]} - matrix.relative(w, original));
      }
    }
    CHECK(error / static_cast<double>(set.workloads.size() * set.candidates.size()) < 0.05);
  }
}

TEST_CASE("without learning the best choice is the best fixed candidate") {
  learning settings = synthetic::quick_settings();
  settings.trees.rounds = 1;
  settings.trees.max_depth = 1;
  settings.trees.eta = 1e-6;
  const training_set set = synthetic::make();
  const class selector chooser(train_model(set, settings, {}));
  const performance_matrix matrix(set);
  double best = 0;
  std::string label;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) {
    double sum = 0;
    for (std::size_t w = 0; w < set.workloads.size(); ++w) sum += matrix.relative(w, c);
    if (sum > best) label = set.candidates[c].label;
    best = std::max(best, sum);
  }
  for (const workload_example& workload : set.workloads) {
    CHECK(chooser.label(chooser.select(synthetic::model_inputs(chooser, set, workload))) == label);
    CHECK(chooser.ranked(synthetic::model_inputs(chooser, set, workload))[0].predicted ==
          Approx(best / 48).epsilon(1e-4));
  }
}

TEST_CASE("neither threads nor the order of the record change a model") {
  for (const method kind : all_methods) {
    INFO(to_string(kind));
    const training_set set = synthetic::make(24);
    learning settings = synthetic::quick_settings(kind);
    const model expected = train_model(set, settings, {});
    training_set shuffled = set;
    std::reverse(shuffled.observations.begin(), shuffled.observations.end());
    CHECK(model_to_text(train_model(shuffled, settings, {})) == model_to_text(expected));
    if (kind == method::kernel) continue;  // this method uses one thread
    settings.trees.nthread = 4;
    model threaded = train_model(shuffled, settings, {});
    threaded.provenance = expected.provenance;
    CHECK(model_to_text(threaded) == model_to_text(expected));
  }
}
