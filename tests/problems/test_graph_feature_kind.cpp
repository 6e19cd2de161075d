// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/graph_feature_kind.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "graph/feature_list.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "selector/model_inputs.hpp"

using namespace mlmq;
using namespace mlmq::problems;

TEST_CASE("a selector gets no sampled features of a small graph") {
  const tuner::workload_features& kind = graph_features();
  CHECK(kind.is_usable("hops", {{"nnz", least_sampled_edges}}));
  CHECK_FALSE(kind.is_usable("hops", {{"nnz", least_sampled_edges - 1}}));
  CHECK(kind.is_usable("weight_p50", {{"nnz", 1}}));
  CHECK(kind.is_usable("hops", {}));
  CHECK(kind.is_usable("no feature of graphs", {{"nnz", 1}}));
}

TEST_CASE("sampling is needed only for features that a model may use") {
  const std::array<std::string_view, 3> names{"hops", "m", "weight_p50"};
  CHECK(need_sampling(names, least_sampled_edges));
  CHECK_FALSE(need_sampling(names, least_sampled_edges - 1));
  CHECK_FALSE(need_sampling(std::array<std::string_view, 2>{"m", "weight_to_degree"}, least_sampled_edges));
}

TEST_CASE("the lists of graphs") {
  const std::vector<std::string> names{"m", "nnz", "degree_p50", "hops", "clustering"};
  const auto named = [&](std::vector<std::string> list) {
    return selector::expand_feature_list(list, names, graph_kind().features());
  };
  CHECK(named({"table2"}) == std::vector<std::string>{"m", "nnz"});
  CHECK(named({"pass"}) == std::vector<std::string>{"m", "nnz", "degree_p50"});
  CHECK(named({"standard"}) == std::vector<std::string>{"m", "nnz", "degree_p50", "hops"});
  CHECK(named({"all"}) == names);
}

TEST_CASE("a graph's record has every feature that is defined") {
  const auto definitions = graph_features().definitions();
  REQUIRE(definitions.size() == graph::feature_definitions().size());
  const db::workload_record record = record_of(graph::generate_named("rmat9").graph, "rmat9", "");
  for (const tuner::named_meaning& definition : definitions) CHECK(record.feature(definition.name).has_value());
}
