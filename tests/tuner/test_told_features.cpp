// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "graph/feature_list.hpp"
#include "tuner/told_features.hpp"

using namespace mlmq;

TEST_CASE("of a small graph a selector is not told what sampling finds, on record or not") {
  db::graph_record record;
  record.name = "some";
  record.edges = graph::least_sampled_edges;
  record.features = {{"nnz", 5}, {"hops", 7}};
  const std::array<std::string_view, 2> names{"hops", "nnz"};
  CHECK(tuner::told_features(record, names) == std::vector<double>{7, 5});
  record.edges -= 1;
  CHECK(std::isnan(tuner::told_features(record, names)[0]));
  CHECK(tuner::told_features(record, names)[1] == 5);
  record.features = {{"nnz", 5}};
  CHECK(std::isnan(tuner::told_features(record, names)[0]));
  record.edges += 1;
  CHECK_THROWS_WITH(tuner::told_features(record, names), Catch::Contains("'some'") && Catch::Contains("'hops'"));
}
