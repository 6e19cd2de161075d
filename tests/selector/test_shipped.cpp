// SPDX-License-Identifier: Apache-2.0
// Properties that every shipped model must have.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/feature_list.hpp"
#include "selector/inference.hpp"
#include "selector/shipped.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq::selector;
using chooser = mlmq::selector::selector;

namespace {

chooser shipped(const std::string& problem) { return chooser(model_from_text(shipped_model_text(problem), problem)); }

}  // namespace

TEST_CASE("a shipped selector chooses one of its configurations for any workload") {
  for (const char* problem : {"sssp", "phold", "astar"}) {
    CAPTURE(problem);
    const chooser model = shipped(problem);
    REQUIRE_FALSE(model.candidates().empty());
    REQUIRE_FALSE(model.features().empty());
    std::vector<feature_values> inputs;
    for (const double same : {0.0, 7.0, std::nan(""), 1e300}) inputs.emplace_back(model.features().size(), same);
    if (std::string(problem) == "sssp") {
      for (const workload_example& workload : synthetic::make(30).workloads)
        inputs.push_back(pick_features(model.features(), synthetic::features, workload.features));
    }
    for (const feature_values& features : inputs) {
      const std::size_t chosen = model.select(features);
      REQUIRE(chosen < model.candidates().size());
      const std::vector<float> predicted = model.predict_all(features);
      REQUIRE(predicted.size() == model.candidates().size());
      for (const float other : predicted) CHECK(other <= predicted[chosen]);
    }
    const std::vector<double> too_many(model.features().size() + 1, 1.0);
    CHECK_THROWS_AS(model.select(too_many), std::invalid_argument);
    CHECK_THROWS_AS(model.ranked(too_many), std::invalid_argument);
    CHECK_THROWS_AS(model.predict_all(too_many), std::invalid_argument);
  }
  CHECK_THROWS_AS(shipped_model_text("sorting"), std::out_of_range);
}

TEST_CASE("the shipped selector asks for features that the program can find, each once, and for nothing else") {
  const chooser model = shipped("sssp");
  std::set<std::string_view> names;
  for (const std::string_view name : model.features()) {
    CHECK_NOTHROW(mlmq::graph::feature_index(name));
    names.insert(name);
  }
  CHECK(names.size() == model.features().size());
}

TEST_CASE("a shipped selector's labels are distinct and its provenance is complete") {
  for (const char* problem : {"sssp", "phold", "astar"}) {
    const chooser model = shipped(problem);
    std::set<std::string> labels;
    for (const candidate& configuration : model.candidates()) labels.insert(configuration.label);
    CHECK(labels.size() == model.candidates().size());
    CHECK(model.provenance().source.problem == problem);
    CHECK(model.provenance().source.times == "measured");
    CHECK_FALSE(model.provenance().source.device_name.empty());
    CHECK_FALSE(model.provenance().training_set_hash.empty());
  }
}

TEST_CASE("the shipped selector expects times that grow with the workload") {
  const chooser model = shipped("sssp");
  REQUIRE(model.times() != nullptr);
  CHECK(model.times()->problem == "sssp");
  const double small = model.expected_best_ms(1000, 5000).value();
  CHECK(small > 0);
  CHECK(model.expected_best_ms(1e7, 5e7).value() > 4 * small);
  const std::vector<double> unknown(model.features().size(), std::nan(""));
  CHECK(std::isfinite(model.expected_best_ms(unknown, 1e5, 5e5).value()));
}
