// SPDX-License-Identifier: Apache-2.0
// Properties that every shipped model must have.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "graph/feature_list.hpp"
#include "selector/shipped.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq::selector;

TEST_CASE("the shipped selector chooses one of its configurations for any workload") {
  REQUIRE(shipped_candidate_count() > 0);
  const std::vector<std::string> names(shipped_features().begin(), shipped_features().end());
  REQUIRE_FALSE(names.empty());
  std::vector<feature_values> inputs;
  for (const workload_example& workload : synthetic::make(30).workloads)
    inputs.push_back(pick_features(names, synthetic::features, workload.features));
  for (const double same : {0.0, std::nan(""), 1e300}) inputs.emplace_back(names.size(), same);
  for (const feature_values& features : inputs) {
    const std::size_t chosen = shipped_select(features);
    REQUIRE(chosen < shipped_candidate_count());
    const std::vector<float> predicted = shipped_predict_all(features);
    REQUIRE(predicted.size() == shipped_candidate_count());
    for (const float other : predicted) CHECK(other <= predicted[chosen]);
  }
}

TEST_CASE("the shipped selector asks for features that the program can find, each once, and for nothing else") {
  std::set<std::string_view> names;
  for (const std::string_view name : shipped_features()) {
    CHECK_NOTHROW(mlmq::graph::feature_index(name));
    names.insert(name);
  }
  CHECK(names.size() == shipped_features().size());
  const std::vector<double> too_many(names.size() + 1, 1.0);
  CHECK_THROWS_AS(shipped_select(too_many), std::invalid_argument);
  CHECK_THROWS_AS(shipped_ranked(too_many), std::invalid_argument);
  CHECK_THROWS_AS(shipped_predict_all(too_many), std::invalid_argument);
}

TEST_CASE("the shipped selector's labels are distinct and its provenance is complete") {
  std::set<std::string_view> labels;
  for (std::size_t c = 0; c < shipped_candidate_count(); ++c) labels.insert(shipped_label(c));
  CHECK(labels.size() == shipped_candidate_count());
  CHECK_THROWS_AS(shipped_label(shipped_candidate_count()), std::out_of_range);
  const auto provenance = nlohmann::json::parse(shipped_provenance());
  for (const char* key : {"device_name", "device_kind", "times", "training_set_hash", "program_version"})
    CHECK(provenance.contains(key));
}

TEST_CASE("the shipped selector expects times that grow with the workload") {
  if (shipped_time_count() == 0) return;
  CHECK(shipped_time_problem() == "sssp");
  CHECK_THROWS_AS(shipped_time_label(0), std::out_of_range);
  CHECK_THROWS_AS(shipped_time_label(shipped_time_count()), std::out_of_range);
  CHECK(shipped_calibrations(0).empty());
  const std::vector<double> small = shipped_times_by_size(1000, 5000);
  const std::vector<double> large = shipped_times_by_size(1e7, 5e7);
  REQUIRE(small.size() == shipped_time_count());
  for (std::size_t i = 0; i < small.size(); ++i) {
    CHECK(small[i] > 0);
    CHECK(large[i] > 4 * small[i]);
    // Each configuration for processors has measurements on the graphs that serve to compare machines.
    if (i > 0) CHECK(shipped_calibrations(i).size() == 2);
  }
  for (const double value : shipped_times(std::vector<double>(shipped_features().size(), std::nan("")), 1e5, 5e5)) {
    CHECK(value > 0);
    CHECK(std::isfinite(value));
  }
}
