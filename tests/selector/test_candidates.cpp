// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "selector/candidates.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;

namespace {

/// Makes a set from times[workload][candidate] in ms; 0: failed, negative: not measured.
training_set set_of(const std::vector<std::vector<double>>& times) {
  training_set set;
  set.workloads.resize(times.size());
  set.candidates.resize(times.front().size());
  for (std::size_t g = 0; g < times.size(); ++g) {
    for (std::size_t c = 0; c < times[g].size(); ++c) {
      if (times[g][c] >= 0) set.observations.push_back({g, c, times[g][c], times[g][c] > 0});
    }
  }
  return set;
}

using indices = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a candidate that is nearly best everywhere is enough") {
  const auto set = set_of({{1.00, 1.04, 9}, {9, 1.04, 1.00}, {5, 1.00, 5}});
  CHECK(covering_candidates(set, 0.05) == indices{1});
  CHECK(covering_candidates(set, 0.01) == indices{0, 1, 2});
  CHECK(covering_candidates(set, 0) == indices{0, 1, 2});
}

TEST_CASE("the tolerance is a share of the best time") {
  const auto set = set_of({{1.0, 1.25}, {1.5, 1.0}, {8.0, 8.0}});
  CHECK(covering_candidates(set, 0.25) == indices{1});
  CHECK(covering_candidates(set, 0.2) == indices{0, 1});
}

TEST_CASE("ties go to the higher mean, then the lower index") {
  CHECK(covering_candidates(set_of({{1, 1, 1}}), 0) == indices{0});
  CHECK(covering_candidates(set_of({{1, 1}, {2, 1}}), 1.0) == indices{1});
}

TEST_CASE("each step takes the largest gain and reports the reached performance") {
  // Candidate 0 is good everywhere and best nowhere; 1 and 2 are each best on one half.
  const auto set = set_of({{1.2, 1, 4}, {1.2, 1, 4}, {1.2, 4, 1}, {1.2, 4, 1}});
  const auto steps = candidate_steps(set, 0.03);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].candidate == 0);
  CHECK(steps[0].within == 0);
  CHECK(steps[0].near_best == 0);
  CHECK(steps[0].mean_relative == Approx(1 / 1.2));
  CHECK(steps[0].worst == Approx(1 / 1.2));
  CHECK(steps[1].candidate == 1);
  CHECK(steps[1].within == 0.5);
  CHECK(steps[1].near_best == 0.5);
  CHECK(steps[1].mean_relative == Approx((1 + 1 / 1.2) / 2));
  CHECK(steps[2].candidate == 2);
  CHECK(steps[2].within == 1);
  CHECK(steps[2].worst == 1);
  // If all three are allowed, the first is no longer needed; if at most two are, it is.
  CHECK(covering_candidates(set, 0.03) == indices{1, 2});
  CHECK(covering_candidates(set, 0.03, 2) == indices{0, 1});
  CHECK(covering_candidates(set, 0.03, 1) == indices{0});
  CHECK(candidate_steps(set, 0.2).size() == 1);
}

TEST_CASE("of candidates that perform alike the steadiest is chosen") {
  training_set set = set_of({{1, 1}, {1, 1}, {5, 5}});
  CHECK(candidate_steps(set, 0).front().candidate == 0);
  set.observations[0].spread = steady_spread;  // steady enough
  CHECK(candidate_steps(set, 0).front().candidate == 0);
  set.observations[0].spread = 0.2;
  const auto steps = candidate_steps(set, 0);
  REQUIRE(steps.size() == 1);
  CHECK(steps.front().candidate == 1);
  CHECK(steps.front().spread == 0);
  set.observations[0].milliseconds = 0.9;  // a faster one is chosen in spite of its spread
  set.observations[2].spread = 0.04;
  CHECK(candidate_steps(set, 0).front().candidate == 0);
  CHECK(candidate_steps(set, 0).front().spread == 0.04);  // the median of 0, 0.04 and 0.2
}

TEST_CASE("the steps as text") {
  training_set set;
  set.workloads.resize(1);
  set.candidates = {{"a", {}}, {"b", {}}};
  set.observations = {{0, 0, 1.5, true}, {0, 1, 1, true, 0.04}};
  CHECK(to_table(candidate_steps(set, 0.025), set, 0.025) ==
        "candidates  within 2.5 %  within 0.9  mean relative   worst  spread  added\n"
        "         1        100.0%      100.0%         1.0000   1.000    4.0%  b\n");
}

TEST_CASE("failures, gaps and unsolved workloads") {
  CHECK(covering_candidates(set_of({{0, 1}, {1, -1}, {0, -1}}), 0.1) == indices{0, 1});
  CHECK_THROWS_AS(covering_candidates(set_of({{0, -1}}), 0.1), input_error);
  CHECK_THROWS_AS(covering_candidates(set_of({{1}}), -0.1), input_error);
  CHECK_THROWS_AS(covering_candidates(set_of({{1}}), NAN), input_error);
}

TEST_CASE("the reduced set keeps its promise on every workload") {
  const training_set set = synthetic::make();
  const performance_matrix matrix(set);
  std::size_t previous = set.candidates.size() + 1;
  for (double tolerance : {0.0, 0.05, 0.2, 1.0}) {
    const indices covering = covering_candidates(set, tolerance);
    CHECK(covering.size() <= previous);
    previous = covering.size();
    const performance_matrix reduced(keep_candidates(set, covering));
    for (std::size_t g = 0; g < matrix.workloads(); ++g)
      CHECK(reduced.best_milliseconds(g) <= matrix.best_milliseconds(g) * (1 + tolerance) * (1 + 1e-12));
  }
  CHECK(previous < set.candidates.size() / 4);
}
