// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "problems/searches/paper_rules.hpp"

using namespace mlmq::problems;
using namespace mlmq::selector;

namespace {

using kind = mlmq::graph::graph_features;

kind road(double vertices) { return {vertices, 2.4 * vertices, 2.4, 8, 0.95, 100, 50, 300}; }
constexpr kind mesh_kind{1e6, 6e6, 6, 26, 1.3, 100, 50, 300};
constexpr kind power_law_kind{1e6, 8.3e6, 7.9, 5000, 16.5, 50, 29, 100};

/// Feature names in the order of a record, with other features in between.
const std::vector<std::string> names{"max_nnz", "hops", "dev_nnz", "m", "nnz", "avg_nnz"};
const feature_values mesh{26, 500, 1.3, 1e6, 6e6, 6};
const feature_values power_law{5000, 9, 16.5, 1e6, 8.3e6, 7.9};

training_set record(const std::vector<std::pair<const char*, const char*>>& queues) {
  training_set set;
  set.features = names;
  set.workloads.resize(1);
  for (const auto& [l1, l2] : queues) {
    const std::string label = std::to_string(set.candidates.size());
    set.candidates.push_back({label, {{"l1", l1}, {"l2", l2}}});
    // Each candidate is faster than the one before.
    set.observations.push_back({0, set.candidates.size() - 1, 10.0 - static_cast<double>(set.candidates.size()), true});
  }
  return set;
}

}  // namespace

TEST_CASE("the queues that the paper names for each kind of workload") {
  CHECK(paper_family(road(264e3)) == queue_family{"vector", "vector"});    // NY
  CHECK(paper_family(road(1.1e6)) == queue_family{"near_far", "vector"});  // FLA
  CHECK(paper_family(road(23.9e6)) == queue_family{"vector", "bucket"});   // USA
  CHECK(paper_family(road((1 << 19) - 1)) == queue_family{"vector", "vector"});
  CHECK(paper_family(road(1 << 19)) == queue_family{"near_far", "vector"});
  CHECK(paper_family(road(1 << 22)) == queue_family{"vector", "bucket"});
  CHECK(paper_family(mesh_kind) == queue_family{"filter", "vector"});
  CHECK(paper_family(power_law_kind) == queue_family{"slf", "bucket"});
}

TEST_CASE("the queues that the authors' program chooses by the degrees") {
  CHECK(program_family({.avg_nnz = 2.4, .dev_nnz = 0.9}) == queue_family{"near_far", "vector"});
  CHECK(program_family({.avg_nnz = 3, .dev_nnz = 10}) == queue_family{"near_far", "vector"});
  CHECK(program_family({.avg_nnz = 6, .dev_nnz = 1.3}) == queue_family{"vector", "vector"});
  CHECK(program_family({.avg_nnz = 8, .dev_nnz = 16}) == queue_family{"vector", "bucket"});
  const training_set set = record({{"near_far", "vector"}, {"vector", "vector"}, {"vector", "bucket"}});
  CHECK(program_rules.choose(set, performance_matrix(set), mesh).candidate == 1);
  CHECK(program_rules.choose(set, performance_matrix(set), power_law).candidate == 2);
}

TEST_CASE("of the named queues' candidates the best on the training workloads") {
  const training_set set = record({{"filter", "vector"}, {"filter", "vector"}, {"slf", "bucket"}, {"none", "vector"}});
  const performance_matrix performance(set);
  CHECK(paper_rules.choose(set, performance, mesh).candidate == 1);
  CHECK(paper_rules.choose(set, performance, mesh).exact);
  CHECK(paper_rules.choose(set, performance, power_law).candidate == 2);
}

TEST_CASE("queues that are not on record: the same L2 queue, then the same L1 queue, then anything") {
  const auto choose = [](const training_set& set, const feature_values& features) {
    const rule_choice choice = paper_rules.choose(set, performance_matrix(set), features);
    CHECK_FALSE(choice.exact);
    return choice.candidate;
  };
  CHECK(choose(record({{"filter", "bucket"}, {"none", "vector"}, {"none", "bucket"}}), mesh) == 1);
  CHECK(choose(record({{"none", "bucket"}, {"filter", "bucket"}, {"none", "heap"}}), mesh) == 1);
  CHECK(choose(record({{"none", "bucket"}, {"none", "heap"}}), mesh) == 1);
  training_set other = record({{"none", "bucket"}});
  other.candidates[0].parameters = {{"solver", "near_far"}};
  CHECK(choose(other, mesh) == 0);
}

TEST_CASE("the rules cover configurations with queues only") {
  training_set set = record({{"none", "bucket"}});
  CHECK(paper_rules.covered(set).size() == set.candidates.size());
  set.candidates[0].parameters = {{"threads", "64"}};
  CHECK(paper_rules.covered(set).empty());
}
