// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "selector/training_set.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

training_set two_by_two() {
  training_set set;
  set.features = {"m", "nnz", "hops"};
  set.workloads = {{"b", "g1", "road", {1, 2, 3}}, {"a", "g2", "mesh", {0, 0, 0}}};
  set.candidates = {{"y", {{"delta", "2"}}}, {"x", {{"delta", "1"}}}};
  set.observations = {{0, 0, 4.0, true}, {0, 1, 1.0, true}, {1, 0, 3.0, true}, {1, 1, 0.0, false}};
  return set;
}

}  // namespace

TEST_CASE("relative performance by hand") {
  training_set set = two_by_two();
  set.workloads.push_back({"c", "g3", "mesh", {0, 0, 0}});
  set.observations.push_back({2, 0, 0.0, false});
  const performance_matrix matrix(set);
  CHECK(matrix.workloads() == 3);
  CHECK(matrix.candidates() == 2);
  CHECK(matrix.relative(0, 0) == 0.25);
  CHECK(matrix.relative(0, 1) == 1.0);
  CHECK(matrix.relative(1, 0) == 1.0);
  CHECK(matrix.relative(1, 1) == 0.0);
  CHECK(matrix.measured(1, 1));
  CHECK(matrix.best_milliseconds(1) == 3.0);
  CHECK_FALSE(matrix.solved(2));
  CHECK(matrix.measured(2, 0));
  CHECK_FALSE(matrix.measured(2, 1));
  CHECK(matrix.relative(2, 1) == 0.0);
}

TEST_CASE("canonical order sorts by name and keeps every observation with its pair") {
  const training_set set = two_by_two();
  const training_set ordered = in_canonical_order(set);
  CHECK(ordered.workloads[0].name == "a");
  CHECK(ordered.workloads[1].name == "b");
  CHECK(ordered.candidates[0].label == "x");
  REQUIRE(ordered.observations.size() == 4);
  CHECK_FALSE(ordered.observations[0].ok);             // a, x
  CHECK(ordered.observations[1].milliseconds == 3.0);  // a, y
  CHECK(ordered.observations[2].milliseconds == 1.0);  // b, x
  CHECK(ordered.observations[3].milliseconds == 4.0);  // b, y
}

TEST_CASE("the hash ignores the order of the record and sees every change") {
  const training_set set = two_by_two();
  training_set other = set;
  std::reverse(other.observations.begin(), other.observations.end());
  CHECK(hash_of(other) == hash_of(set));
  CHECK(hash_of(in_canonical_order(set)) == hash_of(set));
  other.workloads[0].features[2] = 9;
  CHECK(hash_of(other) != hash_of(set));
  other = set;
  other.workloads[0].features[2] = std::nan("");
  CHECK(hash_of(other) != hash_of(set));
  CHECK(hash_of(other) == hash_of(other));
  other = set;
  other.features[2] = "frontier";
  CHECK(hash_of(other) != hash_of(set));
  other = set;
  other.observations[0].milliseconds = std::nextafter(4.0, 5.0);
  CHECK(hash_of(other) != hash_of(set));
  other = set;
  other.candidates[0].parameters[0].second = std::string("3");
  CHECK(hash_of(other) != hash_of(set));
}

TEST_CASE("keeping some workloads or candidates renumbers the observations") {
  const std::array<std::size_t, 1> second{1};
  const training_set workloads = keep_workloads(two_by_two(), second);
  REQUIRE(workloads.workloads.size() == 1);
  CHECK(workloads.workloads[0].name == "a");
  REQUIRE(workloads.observations.size() == 2);
  CHECK(workloads.observations[0].workload == 0);
  const training_set candidates = keep_candidates(two_by_two(), second);
  REQUIRE(candidates.candidates.size() == 1);
  CHECK(candidates.candidates[0].label == "x");
  REQUIRE(candidates.observations.size() == 2);
  CHECK(candidates.observations[0].candidate == 0);
  CHECK(candidates.observations[0].milliseconds == 1.0);
}

TEST_CASE("features are kept by name, and unknown where there is none of the name") {
  const std::vector<std::string> feature_names{"hops", "m"};
  const training_set reduced = keep_features(two_by_two(), feature_names);
  CHECK(reduced.features == feature_names);
  CHECK(reduced.workloads[0].features == feature_values{3, 1});
  CHECK(reduced.observations.size() == 4);
  CHECK_NOTHROW(validate(reduced));
  CHECK(keep_workloads(reduced, std::array<std::size_t, 1>{0}).features == feature_names);
  CHECK(keep_candidates(reduced, std::array<std::size_t, 1>{0}).features == feature_names);
  const std::vector<std::string> unknown{"m", "hop"};
  CHECK_THROWS_WITH(keep_features(two_by_two(), unknown),
                    Contains("no workload on record has the feature 'hop'") && Contains("m, nnz, hops"));
  const feature_values picked = pick_features(unknown, reduced.features, reduced.workloads[0].features);
  REQUIRE(picked.size() == 2);
  CHECK(picked[0] == 1);
  CHECK(std::isnan(picked[1]));
}

TEST_CASE("workloads with unknown features are accepted") {
  training_set set = two_by_two();
  set.workloads[0].features[2] = std::nan("");
  CHECK_NOTHROW(validate(set));
}

TEST_CASE("a training set that cannot be used is refused with its reason") {
  training_set set = two_by_two();
  CHECK_NOTHROW(validate(set));
  const auto check_refused = [&](const std::string& reason) {
    CHECK_THROWS_WITH(validate(set), Contains(reason));
    CHECK_THROWS_AS(validate(set), input_error);
    set = two_by_two();
  };
  set.workloads.clear();
  check_refused("no workloads");
  set.candidates.clear();
  check_refused("no candidate");
  set.workloads[1].name = std::string("b");
  check_refused("workload 'b' appears twice");
  set.candidates[1].label = std::string("y");
  check_refused("candidate 'y' appears twice");
  set.candidates[1].parameters.emplace_back("delta", "7");
  check_refused("has parameter 'delta' twice");
  set.workloads[0].features.pop_back();
  check_refused("workload 'b' has 2 features instead of 3");
  set.features[2] = "nnz";
  check_refused("feature 'nnz' appears twice");
  set.features.clear();
  check_refused("no feature");
  set.workloads[0].features[2] = -std::numeric_limits<double>::infinity();
  check_refused("feature 'hops' is -inf");
  set.workloads[0].features[1] = 1e39;
  check_refused("feature 'nnz'");
  set.observations[0].workload = 2;
  check_refused("names workload 2 of 2");
  set.observations[0].candidate = 2;
  check_refused("candidate 2 of 2");
  set.observations[1].candidate = 0;
  check_refused("observed twice");
  set.observations[0].milliseconds = 0;
  check_refused("workload 'b', candidate 'y': a time of 0 ms");
  set.observations[0].milliseconds = std::numeric_limits<double>::infinity();
  check_refused("a time of inf ms");
  for (observation& measurement : set.observations) measurement.ok = false;
  check_refused("no successful trial");
}

TEST_CASE("a workload counts by the mean over its sources") {
  training_set set;
  set.features = {"m"};
  set.candidates = {{"x", {}}, {"y", {}}, {"z", {}}};
  set.workloads = {{"road from 1", "road", "road", {7}, "road"},
                   {"alone", "other", "mesh", {8}},
                   {"road from 2", "road", "road", {7}, "road"},
                   {"road from 3", "road", "road", {7}, "road"}};
  set.observations = {{0, 0, 1.0, true},  {0, 1, 2.0, true}, {0, 2, 4.0, true},   // road, source 1
                      {2, 0, 5.0, true},  {2, 1, 4.0, true}, {2, 2, 0.0, false},  // source 2: z failed
                      {3, 0, 99.0, true},                                         // source 3: little was measured
                      {1, 1, 3.0, true}};
  const training_set means = mean_over_queries(set);
  REQUIRE(means.workloads.size() == 2);
  CHECK(means.workloads[0].name == "alone");
  CHECK(means.workloads[1].name == "road");
  CHECK(means.workloads[1].group == "road");
  CHECK(means.workloads[1].features == feature_values{7});
  validate(means);
  const performance_matrix matrix(means);
  CHECK(matrix.best_milliseconds(1) == 3.0);
  CHECK(matrix.relative(1, 0) == 1.0);
  CHECK(matrix.relative(1, 1) == 1.0);
  CHECK(matrix.measured(1, 2));
  CHECK(matrix.relative(1, 2) == 0.0);
  CHECK(matrix.best_milliseconds(0) == 3.0);
  CHECK_FALSE(matrix.measured(0, 0));
  CHECK(hash_of(mean_over_queries(means)) == hash_of(means));
}

TEST_CASE("a candidate that lacks one of the sources has no mean") {
  training_set set;
  set.features = {"m"};
  set.candidates = {{"x", {}}, {"y", {}}, {"z", {}}};
  set.workloads = {{"a", "g", "road", {7}, "g"}, {"b", "g", "road", {7}, "g"}};
  set.observations = {{0, 0, 1.0, true}, {0, 1, 2.0, true}, {1, 0, 3.0, true}, {1, 2, 0.5, true}};
  const performance_matrix matrix(mean_over_queries(set));
  CHECK(matrix.best_milliseconds(0) == 2.0);
  CHECK_FALSE(matrix.measured(0, 1));
  CHECK_FALSE(matrix.measured(0, 2));
}

TEST_CASE("means do not depend on the order of the sources, to the last bit") {
  training_set set;
  set.features = {"m"};
  set.candidates = {{"x", {}}};
  set.workloads = {{"a", "g", "road", {7}, "g"}, {"b", "g", "road", {7}, "g"}, {"c", "g", "road", {7}, "g"}};
  set.observations = {{0, 0, 0.1, true}, {1, 0, 0.7, true}, {2, 0, 1e9, true}};
  const std::string hash = hash_of(mean_over_queries(set));
  std::array<std::size_t, 3> order{0, 1, 2};
  do {
    training_set other = set;
    for (std::size_t i = 0; i < 3; ++i) other.observations[i] = set.observations[order.at(i)];
    CHECK(hash_of(mean_over_queries(other)) == hash);
    CHECK(hash_of(mean_over_queries(keep_workloads(set, order))) == hash);
  } while (std::next_permutation(order.begin(), order.end()));
}
