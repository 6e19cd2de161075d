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
  for (const method one : all_methods) {
    CHECK(method_from(to_string(one)) == one);
    names.insert(to_string(one));
  }
  CHECK(names.size() == all_methods.size());
  CHECK_THROWS_WITH(method_from("guess"), Contains("'guess'") && Contains("boosted, kernel, forest"));
}

TEST_CASE("every method predicts relative performance") {
  const training_set set = synthetic::make();
  const performance_matrix matrix(set);
  for (const method how : all_methods) {
    INFO(to_string(how));
    const class selector chooser(synthetic::quick_model(how));
    double error = 0;
    for (std::size_t w = 0; w < set.workloads.size(); ++w) {
      const auto predicted = chooser.predict_all(synthetic::known(chooser, set, set.workloads[w]));
      for (std::size_t c = 0; c < predicted.size(); ++c) {
        std::size_t original = 0;
        while (set.candidates[original].label != chooser.label(c)) ++original;
        error += std::abs(double{predicted[c]} - matrix.relative(w, original));
      }
    }
    CHECK(error / static_cast<double>(set.workloads.size() * set.candidates.size()) < 0.05);
  }
}

TEST_CASE("what is best when nothing is learned: the best fixed candidate") {
  learning one = synthetic::quick_settings();
  one.trees.rounds = 1;
  one.trees.max_depth = 1;
  one.trees.eta = 1e-6;
  const training_set set = synthetic::make();
  const class selector chooser(train_model(set, one, {}));
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
    CHECK(chooser.label(chooser.select(synthetic::known(chooser, set, workload))) == label);
    CHECK(chooser.ranked(synthetic::known(chooser, set, workload))[0].predicted == Approx(best / 48).epsilon(1e-4));
  }
}

TEST_CASE("neither threads nor the order of the record change a model") {
  for (const method how : all_methods) {
    INFO(to_string(how));
    const training_set set = synthetic::make(24);
    learning one = synthetic::quick_settings(how);
    const model expected = train_model(set, one, {});
    training_set shuffled = set;
    std::reverse(shuffled.observations.begin(), shuffled.observations.end());
    CHECK(model_to_text(train_model(shuffled, one, {})) == model_to_text(expected));
    if (how == method::kernel) continue;  // it has one thread
    one.trees.nthread = 4;
    model threaded = train_model(shuffled, one, {});
    threaded.provenance = expected.provenance;
    CHECK(model_to_text(threaded) == model_to_text(expected));
  }
}
