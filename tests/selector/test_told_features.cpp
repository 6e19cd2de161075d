// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "graph/feature_list.hpp"
#include "graph/generate.hpp"
#include "selector/told_features.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

TEST_CASE("of a small graph a selector is not told what sampling finds, known or not") {
  const std::array<std::string_view, 2> names{"hops", "nnz"};
  const auto told = [&](const named_features& known) { return told_features(known, names, "some"); };
  CHECK(told({{"nnz", least_sampled_edges}, {"hops", 7}}) == std::vector<double>{7, least_sampled_edges});
  CHECK(std::isnan(told({{"nnz", least_sampled_edges - 1}, {"hops", 7}})[0]));
  CHECK(std::isnan(told({{"nnz", least_sampled_edges - 1}})[0]));
  CHECK(told({{"nnz", least_sampled_edges - 1}})[1] == least_sampled_edges - 1);
  CHECK_THROWS_WITH(told({{"nnz", least_sampled_edges}}), Contains("'some'") && Contains("'hops'"));
  CHECK_THROWS_WITH(told({{"hops", 7}}), Contains("'nnz'"));
}

TEST_CASE("what is no feature of a graph is told of any workload") {
  CHECK(is_told("entities", std::numeric_limits<double>::quiet_NaN()));
  CHECK(is_told("entities", 1));
  const std::array<std::string_view, 1> names{"entities"};
  CHECK(told_features(named_features{{"entities", 1024}}, names, "phold") == std::vector<double>{1024});
}

TEST_CASE("sampling is needed for what is told only") {
  const std::array<std::string_view, 3> names{"hops", "m", "weight_p50"};
  CHECK(need_sampling(names, least_sampled_edges));
  CHECK_FALSE(need_sampling(names, least_sampled_edges - 1));
  CHECK_FALSE(need_sampling(std::array<std::string_view, 2>{"m", "weight_to_degree"}, least_sampled_edges));
}

TEST_CASE("features computed from a graph are those of the list, or not told") {
  const graph::csr_graph large = graph::generate_named("rmat16").graph;
  const graph::csr_graph small = graph::generate_named("rmat9").graph;
  const std::array<std::string_view, 3> names{"hops", "m", "weight_p50"};
  const graph::feature_values all = graph::all_features(large);
  const std::vector<double> told = told_features(large, names);
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(told[i] == all[graph::feature_index(names.at(i))]);
  CHECK(std::isnan(told_features(small, names)[0]));
  CHECK(told_features(small, names)[1] == 512);
  CHECK_THROWS_AS(told_features(large, std::array<std::string_view, 1>{"hop"}), input_error);
}

TEST_CASE("words stand for features that are known, names for themselves") {
  const std::vector<std::string> known{"m", "nnz", "degree_p50", "hops", "clustering"};
  const auto named = [&](std::vector<std::string> list) { return named_by(list, known); };
  CHECK(named({"table2"}) == std::vector<std::string>{"m", "nnz"});
  CHECK(named({"pass"}) == std::vector<std::string>{"m", "nnz", "degree_p50"});
  CHECK(named({"standard"}) == std::vector<std::string>{"m", "nnz", "degree_p50", "hops"});
  CHECK(named({"all"}) == known);
  CHECK(named({"hops", "m", "hops", "other"}) == std::vector<std::string>{"hops", "m", "other"});
  CHECK(named({"clustering", "pass"}) == std::vector<std::string>{"clustering", "m", "nnz", "degree_p50"});
}

TEST_CASE("of workloads that are no graphs the standard features are all") {
  const std::vector<std::string> known{"mean", "size"};
  CHECK(named_by(std::vector<std::string>{"standard"}, known) == known);
  CHECK(named_by(std::vector<std::string>{"all"}, known) == known);
  CHECK(named_by(std::vector<std::string>{"pass"}, known).empty());
  CHECK(named_by(std::vector<std::string>{"size"}, known) == std::vector<std::string>{"size"});
}
