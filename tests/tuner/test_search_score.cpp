// SPDX-License-Identifier: Apache-2.0
// The score P. The expected numbers are those of autotuning_methodology 1.1.0 for the same times and runs.
#include <catch2/catch.hpp>

#include "message.hpp"
#include "tuner/search_score.hpp"

using namespace mlmq;
using namespace mlmq::tuner;

namespace {

constexpr int configurations = 401;

bool fails(int index) { return index % 17 == 3; }
double time_at(int index) { return 1 + (index * 7919) % 1009 / 100.0; }

recorded_workload recorded_times() {
  recorded_workload recorded;
  recorded.best_cost = 1e9;
  for (int i = 0; i < configurations; ++i) {
    evaluation result;
    if (!fails(i)) result.cost = time_at(i);
    if (!fails(i)) recorded.best_cost = std::min(recorded.best_cost, time_at(i));
    recorded.results[configuration({{"p", value(std::int64_t{i})}})] = result;
  }
  return recorded;
}

double score_of(int runs, double end) {
  const recorded_workload recorded = recorded_times();
  const random_baseline baseline(recorded, {.start = 0.01, .end = end});
  std::vector<std::vector<std::uint32_t>> ranks;
  for (int run = 0; run < runs; ++run) {
    replayed_run replayed;
    double best = 0;
    for (int e = 0; e < configurations; ++e) {
      const int index = ((2 * run + 3) * e * 13 + 29 * run + 1) % configurations;
      if (!fails(index) && (best == 0 || time_at(index) < best)) best = time_at(index);
      replayed.relative.push_back(best == 0 ? 0 : recorded.best_cost / best);
    }
    ranks.push_back(baseline.ranks_of(replayed));
  }
  return baseline.score(ranks);
}

}  // namespace

TEST_CASE("the score is that of the methodology's program") {
  CHECK(score_of(5, 0.96) == Approx(0.3803029715595569).epsilon(1e-12));
  CHECK(score_of(5, 0.9) == Approx(0.6313149670568416).epsilon(1e-12));
  // The median of an even number of runs is rounded.
  CHECK(score_of(4, 0.96) == Approx(0.2518924573586834).epsilon(1e-12));
  CHECK(score_of(4, 0.9) == Approx(0.5358050956218166).epsilon(1e-12));
}

TEST_CASE("over time, evaluations of equal length give the score over evaluations, and slow ones a lower score") {
  recorded_workload recorded = recorded_times();
  for (auto& [c, result] : recorded.results) result.seconds = 0.5;
  const random_baseline over_evaluations(recorded, {});
  const random_baseline over_time(recorded, {}, score_axis::time);
  CHECK(over_time.last_seconds() == Approx(0.5 * static_cast<double>(over_evaluations.last())));
  std::vector<std::vector<std::uint32_t>> ranks;
  std::vector<std::vector<std::uint32_t>> ranks_in_time;
  std::vector<std::vector<std::uint32_t>> ranks_of_slow;
  for (int run = 0; run < 5; ++run) {
    replayed_run replayed;
    double best = 0;
    for (int e = 0; e < configurations; ++e) {
      const int index = ((2 * run + 3) * e * 13 + 29 * run + 1) % configurations;
      if (!fails(index) && (best == 0 || time_at(index) < best)) best = time_at(index);
      replayed.relative.push_back(best == 0 ? 0 : recorded.best_cost / best);
      replayed.elapsed_s.push_back(0.5 * (e + 1));
    }
    ranks.push_back(over_evaluations.ranks_of(replayed));
    ranks_in_time.push_back(over_time.ranks_of(replayed));
    for (double& elapsed : replayed.elapsed_s) elapsed *= 2;
    ranks_of_slow.push_back(over_time.ranks_of(replayed));
  }
  const double score = over_evaluations.score(ranks);
  CHECK(over_time.score(ranks_in_time) == Approx(score).margin(0.05));
  CHECK(over_time.score(ranks_of_slow) < score - 0.1);
}

TEST_CASE("the number of evaluations is that of random search") {
  const recorded_workload recorded = recorded_times();
  CHECK(random_baseline(recorded, {.start = 0.01, .end = 0.96}).first() == 2);
  CHECK(random_baseline(recorded, {.start = 0.01, .end = 0.96}).last() == 40);
  CHECK(random_baseline(recorded, {.start = 0.01, .end = 0.9}).last() == 17);
}

TEST_CASE("a run that has the best time at once scores 1, and the interval of equal runs is a point") {
  const recorded_workload recorded = recorded_times();
  const random_baseline baseline(recorded, {});
  replayed_run best;
  best.relative = {1.0};
  const scored_space space{.baseline = &baseline, .ranks = {baseline.ranks_of(best), baseline.ranks_of(best)}};
  const score_interval interval = mean_score(std::vector{space, space});
  CHECK((interval.score == 1 && interval.lower == 1 && interval.upper == 1));
}

TEST_CASE("a space without slower configurations has no score") {
  recorded_workload recorded = recorded_times();
  for (auto& [c, result] : recorded.results) result.cost = 1.0;
  CHECK_THAT(message_of([&] { (void)random_baseline(recorded, {}); }), Catch::Contains("nothing to score"));
}
