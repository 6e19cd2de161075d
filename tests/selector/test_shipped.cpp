// SPDX-License-Identifier: Apache-2.0
// Holds for any model that is shipped.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "selector/shipped.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq::selector;

TEST_CASE("the shipped selector chooses one of its configurations for any graph") {
  REQUIRE(shipped_candidate_count() > 0);
  std::vector<graph_features> inputs;
  for (const graph_example& graph : synthetic::make(30).graphs) inputs.push_back(graph.features);
  inputs.emplace_back();
  inputs.emplace_back().fill(std::nan(""));
  inputs.emplace_back().fill(1e300);
  for (const graph_features& features : inputs) {
    const std::size_t chosen = shipped_select(features);
    REQUIRE(chosen < shipped_candidate_count());
    for (std::size_t c = 0; c < shipped_candidate_count(); ++c)
      CHECK(shipped_predict(features, c) <= shipped_predict(features, chosen));
  }
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
