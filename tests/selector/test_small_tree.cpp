// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "selector/small_tree.hpp"

using namespace mlmq::selector;

namespace {

/// Returns workloads whose best candidate depends on two features: 0 for x < 4; else 1 for y < 4, and 2 for y >= 4.
training_set grid() {
  training_set set;
  set.features = {"x", "y"};
  set.candidates = {{"a", {}}, {"b", {}}, {"c", {}}};
  for (std::size_t i = 0; i < 64; ++i) {
    const double x = static_cast<double>(i % 8);
    const double y = static_cast<double>(i / 8);
    set.workloads.push_back({std::to_string(i), std::to_string(i), "", {x, y}});
    const std::size_t best = x < 4 ? 0 : y < 4 ? 1 : 2;
    for (std::size_t c = 0; c < 3; ++c) set.observations.push_back({i, c, c == best ? 1.0 : 3.0, true});
  }
  return set;
}

}  // namespace

TEST_CASE("a small tree finds the splits that choose the best candidate") {
  const training_set set = grid();
  const performance_matrix performance(set);
  const small_tree tree(set, performance);
  for (std::size_t w = 0; w < set.workloads.size(); ++w)
    CHECK(performance.relative(w, tree.choose(set.workloads[w].features)) == 1);
  CHECK(tree.choose(std::vector<double>{NAN, 7}) == 0);  // unknown values go to the left
}

TEST_CASE("a tree with one leaf always chooses the best fixed candidate") {
  const training_set set = grid();
  const small_tree tree(set, performance_matrix(set), 1);
  for (const workload_example& workload : set.workloads) CHECK(tree.choose(workload.features) == 0);
}

TEST_CASE("a small tree does not split without gain, and keeps at least five workloads per leaf") {
  training_set set = grid();
  for (observation& seen : set.observations) seen.milliseconds = seen.candidate == 1 ? 1 : 2;
  const small_tree same(set, performance_matrix(set));
  for (const workload_example& workload : set.workloads) CHECK(same.choose(workload.features) == 1);
  for (observation& seen : set.observations)
    seen.milliseconds = seen.candidate == (seen.workload < 4 ? 2U : 1U) ? 1 : 2;
  const small_tree coarse(set, performance_matrix(set));
  CHECK(coarse.choose(set.workloads[60].features) == 1);
}
