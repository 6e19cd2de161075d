// SPDX-License-Identifier: Apache-2.0
// Tuning on few workloads, with synthetic records for which the right answer is known.
#include <catch2/catch.hpp>

#include <cmath>
#include <set>

#include "base/error.hpp"
#include "selector/export_header.hpp"
#include "selector/inference.hpp"
#include "selector/tuned_evaluation.hpp"
#include "selector/tuned_learner.hpp"
#include "synthetic.hpp"

namespace {

using namespace mlmq::selector;

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = i;
  return indices;
}

/// Returns the workloads in groups of their own, with names that differ from those of another set.
training_set alone(training_set set, const std::string& prefix) {
  for (workload_example& workload : set.workloads) {
    workload.name = prefix + workload.name;
    workload.group = workload.name;
  }
  return set;
}

double mean_of(const tuned_learner& learner, const tuned_fit& fit, std::size_t first_workload) {
  double sum = 0;
  for (std::size_t w = first_workload; w < learner.own_set().workloads.size(); ++w)
    sum += learner.performance().relative(w, learner.choose(fit, w));
  return sum / static_cast<double>(learner.own_set().workloads.size() - first_workload);
}

double mean_fixed(const tuned_learner& learner, std::size_t candidate, std::size_t first_workload) {
  double sum = 0;
  for (std::size_t w = first_workload; w < learner.own_set().workloads.size(); ++w)
    sum += learner.performance().relative(w, candidate);
  return sum / static_cast<double>(learner.own_set().workloads.size() - first_workload);
}

/// Returns times of a device on which every candidate with delta=4 is three times as fast as on the recorded device.
training_set on_other_device(training_set set) {
  for (observation& measurement : set.observations) {
    if (set.candidates[measurement.candidate].label.find("delta=4") != std::string::npos) measurement.milliseconds /= 3;
  }
  return set;
}

constexpr std::size_t own_count = 60;
constexpr std::size_t learned_count = 12;

tuned_learner with_record(training_set tuned, bool same_device) {
  return tuned_learner({.own_set = alone(std::move(tuned), "own-"),
                        .recorded = alone(synthetic::make(240, 9), "recorded-"),
                        .same_device = same_device},
                       {});
}

}  // namespace

TEST_CASE("a record of the same device is worth more than few workloads", "[tuned]") {
  const tuned_learner learner = with_record(synthetic::make(own_count, 3), true);
  REQUIRE(learner.recorded_workloads() == 240);
  const tuned_fit fit = learner.learn(first(learned_count));
  CHECK(fit.chosen_correction.from_record);
  const double tuned = mean_of(learner, fit, learned_count);
  const double fixed = mean_fixed(learner, learner.best_fixed(first(learned_count)), learned_count);
  CHECK(tuned > 0.95);
  CHECK(tuned > fixed + 0.05);
}

TEST_CASE("measurements of this device correct a record of another one", "[tuned]") {
  const tuned_learner learner = with_record(on_other_device(synthetic::make(own_count, 3)), false);
  const tuned_fit record_alone = learner.learn(first(learned_count), {true, 0, 1, false});
  const tuned_fit fit = learner.learn(first(learned_count));
  const double tuned = mean_of(learner, fit, learned_count);
  CHECK(mean_of(learner, record_alone, learned_count) < 0.75);
  CHECK(tuned > 0.9);
  CHECK(tuned > mean_fixed(learner, learner.best_fixed(first(learned_count)), learned_count));
}

TEST_CASE("without a record the features decide only as far as they are seen to matter", "[tuned]") {
  SECTION("they do") {
    const tuned_learner learner({.own_set = alone(synthetic::make(own_count, 3), "own-")}, {});
    const tuned_fit fit = learner.learn(first(40));
    CHECK_FALSE(fit.chosen_correction.from_record);
    CHECK(fit.chosen_correction.by_similarity);
    CHECK(mean_of(learner, fit, 40) > mean_fixed(learner, learner.best_fixed(first(40)), 40) + 0.05);
  }
  SECTION("they do not: times that are chance, but for one candidate that is good everywhere") {
    training_set set = alone(synthetic::make(own_count, 3), "own-");
    synthetic::random numbers(4);
    for (observation& measurement : set.observations)
      measurement.milliseconds = measurement.candidate == 5 ? 1.1 : 1 + numbers.uniform() * 3;
    const tuned_learner learner({.own_set = set}, {});
    const tuned_fit fit = learner.learn(first(20));
    CHECK(learner.own_set().candidates[learner.best_fixed(first(20))].label == set.candidates[5].label);
    const model built = learner.build(fit, {});
    const selector chooser(built);
    std::size_t same = 0;
    for (const workload_example& workload : learner.own_set().workloads)
      same += chooser.label(chooser.select(pick_features(chooser.features(), learner.own_set().features,
                                                         workload.features))) == set.candidates[5].label
                  ? 1
                  : 0;
    CHECK(same > own_count * 9 / 10);
  }
}

TEST_CASE("the model makes the choices of the fit", "[tuned]") {
  const bool same_device = GENERATE(true, false);
  const tuned_learner learner = with_record(on_other_device(synthetic::make(own_count, 3)), same_device);
  for (const correction& settings : learner.corrections()) {
    const tuned_fit fit = learner.learn(first(learned_count), settings);
    const model built = learner.build(fit, {});
    CAPTURE(settings.from_record, settings.shift, settings.ridge, settings.by_similarity);
    CHECK(built.trees.has_value() == (settings.from_record || !settings.by_similarity));
    CHECK(built.kernel.has_value() == settings.by_similarity);
    const selector chooser(model_from_text(model_to_text(built), "test"));
    std::size_t different = 0;
    for (std::size_t w = 0; w < own_count; ++w) {
      const auto values =
          pick_features(chooser.features(), learner.own_set().features, learner.own_set().workloads[w].features);
      different +=
          chooser.label(chooser.select(values)) != learner.own_set().candidates[learner.choose(fit, w)].label ? 1 : 0;
    }
    // The model stores weights as floats: between two equally good candidates, it may choose the other one.
    CHECK(different <= 1);
    CHECK_NOTHROW(header_text(built, "tuned"));
  }
}

TEST_CASE("recorded workloads of the own groups are not learned from", "[tuned]") {
  training_set tuned = alone(synthetic::make(own_count, 3), "own-");
  training_set recorded = alone(synthetic::make(240, 9), "recorded-");
  for (std::size_t w = 0; w < 40; ++w) recorded.workloads[w].group = tuned.workloads[w % own_count].group;
  const tuned_learner learner({.own_set = tuned, .recorded = recorded, .same_device = true}, {});
  CHECK(learner.recorded_workloads() == 200);
}

TEST_CASE("a record with nothing in common, or hardly any workloads, is not used", "[tuned]") {
  training_set recorded = alone(synthetic::make(240, 9), "recorded-");
  SECTION("other configurations") {
    for (candidate& copied : recorded.candidates) copied.label += "x";
  }
  SECTION("few workloads") { recorded = keep_workloads(recorded, first(10)); }
  const tuned_learner learner(
      {.own_set = alone(synthetic::make(own_count, 3), "own-"), .recorded = recorded, .same_device = true}, {});
  CHECK(learner.recorded_workloads() == 0);
  for (const correction& settings : learner.corrections()) CHECK_FALSE(settings.from_record);
}

TEST_CASE("an unrecorded configuration is treated like the most similar recorded one", "[tuned]") {
  training_set tuned = alone(synthetic::make(own_count, 3), "own-");
  // Adds a copy of each large-workload candidate with one more parameter, twice as fast as the original.
  const std::size_t before = tuned.candidates.size();
  for (std::size_t c = 0; c < 3; ++c) {
    candidate copy = tuned.candidates[c];
    copy.parameters.emplace_back("new", "1");
    copy.label += ",new=1";
    tuned.candidates.push_back(copy);
  }
  for (std::size_t w = 0; w < tuned.workloads.size(); ++w) {
    for (std::size_t c = 0; c < 3; ++c)
      tuned.observations.push_back(
          {w, before + c, synthetic::milliseconds(tuned.workloads[w], tuned.candidates[c]) / 2, true});
  }
  const tuned_learner learner(
      {.own_set = tuned, .recorded = alone(synthetic::make(240, 9), "recorded-"), .same_device = true}, {});
  const tuned_fit fit = learner.learn(first(learned_count));
  std::size_t chosen = 0;
  for (std::size_t w = learned_count; w < own_count; ++w)
    chosen += learner.own_set().candidates[learner.choose(fit, w)].label.find("new=1") != std::string::npos ? 1 : 0;
  CHECK(chosen > (own_count - learned_count) / 3);
  const tuned_fit untouched = learner.learn(first(learned_count), {true, 0, 1, false});
  CHECK(mean_of(learner, fit, learned_count) > mean_of(learner, untouched, learned_count) + 0.1);
}

TEST_CASE("an own workload that was not measured with everything is refused", "[tuned]") {
  training_set tuned = alone(synthetic::make(12, 3), "own-");
  tuned.observations.pop_back();
  CHECK_THROWS_WITH(tuned_learner({.own_set = tuned}, {}), Catch::Contains("was not measured with"));
}

TEST_CASE("ways to choose are judged on workloads that they did not learn from", "[tuned]") {
  const tuned_learner learner({.own_set = alone(synthetic::make(24, 3), "own-")}, {});
  const auto evaluation = evaluate_tuned(learner, 6, 2);
  REQUIRE(evaluation);
  for (const held_out_choices* const choices : {&evaluation->learned, &evaluation->fixed}) {
    REQUIRE(choices->size() == 24);
    for (const auto& labels : *choices) CHECK(labels.size() == 2);
  }
  // The best choice over all other workloads is known for each workload, but none of its own times.
  const strategy_evaluation fixed = evaluate_strategy("fixed", learner.performance(), evaluation->fixed);
  CHECK(fixed.mean_relative > 0.3);
  CHECK(fixed.mean_relative < 1);
  CHECK(fixed.worst <= fixed.mean_relative);
  held_out_choices best(24);
  for (std::size_t w = 0; w < 24; ++w) {
    for (std::size_t c = 0; c < learner.own_set().candidates.size(); ++c) {
      if (learner.performance().relative(w, c) == 1) best[w] = {c};
    }
  }
  const strategy_evaluation oracle = evaluate_strategy("oracle", learner.performance(), best);
  CHECK(oracle.mean_relative == Approx(1));
  CHECK(oracle.near_best == Approx(1));
  CHECK_FALSE(evaluate_tuned(tuned_learner({.own_set = alone(synthetic::make(3, 3), "own-")}, {})));
}

TEST_CASE("a workload's own times have no part in its held-out choice", "[tuned]") {
  // One candidate is good on one workload only; a fold that chooses it there must have seen that workload.
  training_set tuned = alone(synthetic::make(16, 3), "own-");
  for (observation& measurement : tuned.observations) {
    if (measurement.candidate == 7) measurement.milliseconds = measurement.workload == 4 ? 1e-6 : 1e6;
  }
  const tuned_learner learner({.own_set = tuned}, {});
  const auto evaluation = evaluate_tuned(learner, 8, 3);
  REQUIRE(evaluation);
  const std::size_t planted = 4;
  for (const std::size_t candidate : evaluation->learned[planted])
    CHECK(learner.own_set().candidates[candidate].label != tuned.candidates[7].label);
}
