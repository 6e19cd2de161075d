// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <stdexcept>

#include "base/error.hpp"
#include "selector/evaluate.hpp"
#include "selector/evaluation_table.hpp"
#include "selector/learning_curve.hpp"
#include "selector/strategy_score.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

learning quick() { return synthetic::quick_settings(); }

evaluation_report evaluate_quick(const training_set& set, const evaluation_options& options = {}) {
  const learning settings = quick();
  return evaluate(set, std::span(&settings, 1), options);
}

/// Returns a report with known values: for each workload a class, a group, and per strategy the relative performance of
/// each repeat.
evaluation_report by_hand() {
  evaluation_report report;
  report.folds = 2;
  report.repeats = 2;
  report.mean_candidates = 3;
  report.mean_training_workloads = 2;
  report.workloads = {
      {"a", "g1", "road", {}}, {"b", "g1", "road", {}}, {"c", "g2", "mesh", {}}, {"d", "g3", "mesh", {}}};
  const auto choices = [](std::vector<std::vector<double>> values) {
    std::vector<std::vector<held_out_choice>> result;
    for (const auto& repeats : values) {
      result.emplace_back();
      for (const double value : repeats) result.back().push_back({.selected = "x", .relative = value});
    }
    return result;
  };
  report.strategies = {{"boosted", choices({{1.0, 0.9}, {0.9, 0.9}, {0.5, 0.95}, {0.8, 0.8}})},
                       {"oracle", choices({{1, 1}, {1, 1}, {1, 1}, {1, 1}})}};
  return report;
}

/// A strategy that always selects the last candidate.
constexpr rule_of_thumb last_candidate{
    .name = "the last",
    .names = "nothing",
    .covers = [](const candidate&) { return true; },
    .choose =
        [](const training_set& training, const performance_matrix&, const feature_values&) {
          return rule_choice{training.candidates.size() - 1, false};
        }};

}  // namespace

TEST_CASE("scores by hand: repeats of a workload count as their mean") {
  const evaluation_report report = by_hand();
  const strategy_score score = score_of(report, report.strategies[0]).value();
  CHECK(score.workloads == 4);
  CHECK(score.near_best.value == Approx((1 + 1 + 0.5 + 0) / 4));
  CHECK(score.slowdown.value == Approx(std::pow(1 * 0.9 * 0.9 * 0.9 * 0.5 * 0.95 * 0.8 * 0.8, -1.0 / 8)));
  CHECK(score.mean_relative.value == Approx((0.95 + 0.9 + 0.725 + 0.8) / 4));
  CHECK(score.worst == 0.5);
  CHECK(score.lowest_5_percent == 0.5);
  CHECK(score.lowest_1_percent == 0.5);
  CHECK(score.failed == 0);
  const strategy_score mesh = score_of(report, report.strategies[0], {.workload_class = "mesh"}).value();
  CHECK(mesh.near_best.value == Approx(0.25));
  CHECK(mesh.mean_relative.value == Approx((0.725 + 0.8) / 2));
  CHECK_FALSE(score_of(report, report.strategies[0], {.workload_class = "circuit"}));
  CHECK_FALSE(score_of(report, report.strategies[0], {.on_each_query = true}));
  CHECK(report.strategy("oracle").name == "oracle");
  CHECK_THROWS_AS(report.strategy("nobody"), std::invalid_argument);
}

TEST_CASE("intervals are over groups, hold the value, and are the same each time") {
  const evaluation_report report = by_hand();
  const strategy_score score = score_of(report, report.strategies[0]).value();
  for (const estimate& quantity : {score.near_best, score.slowdown, score.mean_relative}) {
    CHECK(quantity.low <= quantity.value);
    CHECK(quantity.value <= quantity.high);
    CHECK(quantity.low < quantity.high);
  }
  // Of all draws of three groups, the worst is three times {d}, the best three times {a, b}.
  CHECK(score.mean_relative.low == Approx((0.725 + 0.725 + 0.725) / 3));
  CHECK(score.mean_relative.high == Approx(0.925));
  CHECK(score_of(report, report.strategies[0])->near_best.low == score.near_best.low);
  const strategy_score oracle = score_of(report, report.strategies[1]).value();
  CHECK(oracle.mean_relative.low == 1);
  CHECK(oracle.mean_relative.high == 1);
  // Workloads of one group are not independent evidence: if all are in one group, the bootstrap finds no variation.
  evaluation_report one_group = report;
  for (workload_example& workload : one_group.workloads) workload.group = "same";
  CHECK(score_of(one_group, one_group.strategies[0])->mean_relative.low == Approx(score.mean_relative.value));
}

TEST_CASE("more workloads make narrower intervals") {
  const auto width = [](std::size_t count) {
    evaluation_report report;
    report.strategies = {{"boosted", {}}};
    synthetic::random numbers(4);
    for (std::size_t i = 0; i < count; ++i) {
      report.workloads.push_back({std::to_string(i), std::to_string(i), "", {}});
      report.strategies[0].workloads.push_back({{.selected = "x", .relative = numbers.uniform()}});
    }
    const estimate mean = score_of(report, report.strategies[0])->mean_relative;
    return mean.high - mean.low;
  };
  // A mean of n uniform numbers has a deviation of sqrt(1/12/n); the interval is 2 x 1.96 of it wide.
  CHECK(width(25) == Approx(3.92 * std::sqrt(1.0 / 12 / 25)).epsilon(0.25));
  CHECK(width(400) == Approx(3.92 * std::sqrt(1.0 / 12 / 400)).epsilon(0.15));
}

TEST_CASE("the report as text") {
  evaluation_report report = by_hand();
  report.unsolved = 1;
  const rule_of_thumb paper{.name = "paper's rules", .names = "queues"};
  report.rules = {{.rule = &paper, .off_record = 3}};
  const std::string table = to_table(report);
  CHECK_THAT(table, Contains("boosted                     1.207 (1.082–1.451)   0.500   0.500    62.5 (0–100)    0.844 "
                             "(0.725–0.925)         0.00\n"));
  CHECK_THAT(table, Contains("slowdown, 0.9 in %                 mesh           road\n"
                             "workloads                             2              2\n"
                             "boosted                     1.347  25.0    1.082 100.0\n"));
  CHECK_THAT(table, Contains("4 workloads in 3 groups, 2-fold cross-validation over groups, 2 times with other folds"));
  CHECK_THAT(table, Contains("no candidate succeeded: 1 workloads") &&
                        Contains("The paper's rules name queues that are not on record for 3 of 8 choices"));
  report.workloads[0].name = "a, \"b\"";
  report.strategies[0].workloads[0][0].predicted = 0.875;
  CHECK(
      to_csv(report).starts_with("workload,origin,group,class,repeat,fold,strategy,choice,relative,predicted\r\n"
                                 "\"a, \"\"b\"\"\",file,g1,road,0,0,boosted,x,1,0.875\r\n"
                                 "\"a, \"\"b\"\"\",file,g1,road,1,0,boosted,x,0.9,\r\n"));
}

TEST_CASE("the best fixed candidate counts failures and gaps as 0") {
  training_set set;
  set.workloads.resize(3);
  set.candidates.resize(3);
  // Relative performance: candidate 0: 1, -, -; candidate 1: 0.5, 0.5, 0.5; candidate 2: failed, 1, 1.
  set.observations = {{0, 0, 1, true}, {0, 1, 2, true}, {0, 2, 0, false}, {1, 1, 2, true},
                      {1, 2, 1, true}, {2, 1, 2, true}, {2, 2, 1, true}};
  CHECK(best_fixed_candidate(performance_matrix(set)) == 2);
  set.observations.erase(set.observations.begin() + 4, set.observations.end());
  // Now workload 1 has a time only for candidate 1, whose relative performance there is 1.
  CHECK(best_fixed_candidate(performance_matrix(set)) == 1);
}

TEST_CASE("a group is never in two folds, whatever the seed") {
  const training_set set = synthetic::make(50);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto folds = assign_folds(set.workloads, 5, seed);
    std::map<std::string, std::set<std::size_t>> folds_of;
    std::map<std::size_t, std::set<std::string>> groups_of;
    for (std::size_t g = 0; g < folds.size(); ++g) {
      folds_of[set.workloads[g].group].insert(folds[g]);
      groups_of[folds[g]].insert(set.workloads[g].group);
    }
    for (const auto& [group, used] : folds_of) CHECK(used.size() == 1);
    REQUIRE(groups_of.size() == 5);
    for (const auto& [fold, groups] : groups_of) CHECK((groups.size() == 3 || groups.size() == 4));  // 17 groups
  }
  CHECK(assign_folds(set.workloads, 5, 1) == assign_folds(set.workloads, 5, 1));
  CHECK(assign_folds(set.workloads, 5, 1) != assign_folds(set.workloads, 5, 2));
}

TEST_CASE("too few groups, folds or repeats") {
  training_set set = synthetic::make(3);  // one group
  CHECK_THROWS_AS(evaluate_quick(set), input_error);
  CHECK_THROWS_WITH(evaluate_quick(set), Contains("at least 2 groups"));
  set = synthetic::make(6);
  CHECK_THROWS_WITH(evaluate_quick(set, {.folds = 1}), Contains("at least 2 folds"));
  CHECK_THROWS_WITH(evaluate_quick(set, {.repeats = 0}), Contains("at least 1 repeat"));
  for (const double share : {0.0, -0.5, 1.5, double{NAN}})
    CHECK_THROWS_WITH(evaluate_quick(set, {.train_share = share}), Contains("in (0,1]"));
  CHECK(evaluate_quick(set).folds == 2);
}

TEST_CASE("on unseen workloads every method beats the best fixed configuration, and none the oracles") {
  const training_set set = synthetic::make();
  std::vector<learning> methods;
  for (const method kind : all_methods) methods.push_back(synthetic::quick_settings(kind));
  evaluation_options options;
  options.repeats = 2;
  options.cover_tolerance = 0.05;
  options.rules = {&last_candidate};
  const evaluation_report report = evaluate(set, methods, options);
  CHECK(report.folds == 5);
  CHECK(report.unsolved == 0);
  REQUIRE(report.workloads.size() == 48);
  REQUIRE(report.strategies.size() == methods.size() + 5);
  const auto mean = [&](std::string_view name) { return score_of(report, report.strategy(name))->mean_relative.value; };
  for (const method kind : all_methods) {
    INFO(to_string(kind));
    CHECK(mean(to_string(kind)) > 0.85);
    CHECK(mean(to_string(kind)) > mean(best_fixed_name) + 0.1);
    CHECK(mean(to_string(kind)) <= mean(best_candidate_name));
  }
  CHECK(mean(best_candidate_name) > 0.95);
  CHECK(mean(oracle_name) == 1);
  CHECK(mean(last_candidate.name) > 0);
  CHECK(report.rules.at(0).off_record == 2 * 48);
  for (const strategy_choices& strategy : report.strategies) {
    std::map<std::pair<std::string, std::size_t>, std::set<std::size_t>> folds_of;
    for (std::size_t g = 0; g < 48; ++g) {
      REQUIRE(strategy.workloads[g].size() == 2);
      for (std::size_t repeat = 0; repeat < 2; ++repeat)
        folds_of[{report.workloads[g].group, repeat}].insert(strategy.workloads[g][repeat].fold);
    }
    for (const auto& [group, folds] : folds_of) CHECK(folds.size() == 1);
  }
  // The repeats use different folds.
  bool differ = false;
  for (const auto& repeats : report.strategies[0].workloads) differ = differ || repeats[0].fold != repeats[1].fold;
  CHECK(differ);
}

TEST_CASE("a choice that was not measured is no failure, and is left out of the scores") {
  evaluation_report report = by_hand();
  for (held_out_choice& choice : report.strategies[0].workloads[2]) choice = {.selected = "y", .measured = false};
  const strategy_score score = score_of(report, report.strategies[0]).value();
  CHECK(score.unmeasured == 0.25);
  CHECK(score.failed == 0);
  CHECK(score.workloads == 3);
  CHECK(score.mean_relative.value == Approx((0.95 + 0.9 + 0.8) / 3));
  CHECK(score.worst == 0.8);
  CHECK_THAT(to_table(report), Catch::Contains("boosted: 25.0 % of its choices were not measured"));
  for (auto& choices : report.strategies[0].workloads) {
    for (held_out_choice& choice : choices) choice = {.selected = "y", .measured = false};
  }
  CHECK(score_of(report, report.strategies[0])->unmeasured == 1);
  CHECK_THAT(to_table(report), Catch::Contains("no choice was measured"));
}

TEST_CASE("workloads that share no configuration have no measured choice") {
  // As after searches that choose the configurations of each workload.
  training_set set = synthetic::make(12);
  set.candidates.clear();
  set.observations.clear();
  for (std::size_t w = 0; w < 12; ++w) {
    set.candidates.push_back({.label = "c" + std::to_string(w), .parameters = {{"c", std::to_string(w)}}});
    set.observations.push_back({.workload = w, .candidate = w, .milliseconds = 1, .ok = true});
  }
  const evaluation_report report = evaluate_quick(set, {});
  for (const strategy_choices& strategy : report.strategies) {
    const strategy_score score = score_of(report, strategy).value();
    INFO(strategy.name);
    CHECK(score.failed == 0);
    // Only these two know the times.
    if (strategy.name == oracle_name || strategy.name == best_candidate_name) continue;
    CHECK(score.unmeasured == 1);
  }
}

TEST_CASE("a rule that does not apply is no strategy") {
  rule_of_thumb never = last_candidate;
  never.covers = [](const candidate&) { return false; };
  evaluation_options options;
  options.rules = {&never};
  const evaluation_report report = evaluate_quick(synthetic::make(12), options);
  CHECK(report.rules.empty());
  CHECK(report.strategies.size() == 5);
}

TEST_CASE("trying candidates: the fastest on one query is scored on the other queries") {
  // Two queries per workload. Candidate 0 is the fastest on the first query, candidate 1 on the second.
  training_set set = synthetic::make(12);
  const std::array<std::size_t, 2> first_two{0, 1};
  set = keep_candidates(set, first_two);
  training_set two_queries = set;
  two_queries.observations.clear();
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    two_queries.workloads[w].workload = two_queries.workloads[w].name;
    two_queries.workloads[w].name += " first";
    two_queries.workloads.push_back(set.workloads[w]);
    two_queries.workloads.back().workload = set.workloads[w].name;
    two_queries.workloads.back().name += " second";
    two_queries.observations.insert(two_queries.observations.end(), {{w, 0, 1, true}, {w, 1, 2, true}});
  }
  for (std::size_t w = 0; w < set.workloads.size(); ++w)
    two_queries.observations.insert(two_queries.observations.end(), {{12 + w, 0, 4, true}, {12 + w, 1, 1, true}});
  const learning learned = quick();
  evaluation_options options;
  options.folds = 3;
  options.tries = {1, 2};
  const evaluation_report report = evaluate(two_queries, {&learned, 1}, options);
  REQUIRE(report.workloads.size() == 12);
  const held_out_choice& tried = report.strategy("boosted, 2 tried").workloads[0].front();
  // Candidate 0, chosen on the first query, takes 4 times as long on the second; candidate 1 takes 2 times as long.
  CHECK(tried.query_relative == std::vector<double>{0.25, 0.5});
  CHECK(tried.relative == Approx((0.25 + 0.5) / 2));
  CHECK(report.strategy(swept_query_name).workloads[0].front().query_relative == tried.query_relative);
  // By the sum over both queries, candidate 1 is the best one: 3 ms instead of 5.
  CHECK(report.strategy(oracle_name).workloads[0].front().selected == set.candidates[1].label);
  CHECK(report.strategy(oracle_name).workloads[0].front().query_relative == std::vector<double>{0.5, 1});
  CHECK(score_of(report, report.strategy(oracle_name), {.on_each_query = true})->mean_relative.value == Approx(0.75));
  const held_out_choice& one_tried = report.strategy("boosted, 1 tried").workloads[0].front();
  CHECK(one_tried.relative <= report.strategy("boosted").workloads[0].front().relative);
}

TEST_CASE("trying on further queries finds the best candidate if they vary little, and less often if they vary much") {
  const training_set set = synthetic::make(24);
  const auto mean = [&](double deviation) {
    training_set two_queries = set;
    for (workload_example& workload : two_queries.workloads) workload.workload = workload.name;
    const std::size_t count = set.workloads.size();
    for (std::size_t w = 0; w < count; ++w) {
      two_queries.workloads.push_back(two_queries.workloads[w]);
      two_queries.workloads.back().name += " again";
    }
    for (const observation& seen : set.observations) {
      observation again = seen;
      again.workload += count;
      again.milliseconds *= seen.candidate % 2 == 0 ? 1 + deviation : 1 - deviation;
      two_queries.observations.push_back(again);
    }
    const learning learned = quick();
    evaluation_options options;
    options.tries = {set.candidates.size()};
    options.try_queries = 2;
    const evaluation_report report = evaluate(two_queries, {&learned, 1}, options);
    const strategy_choices& choices = report.strategies[2];
    CHECK_THAT(choices.name, Contains(" x 2 queries"));
    CHECK(choices.workloads[0].size() > 1);  // several draws
    for (const held_out_choice& choice : choices.workloads[0])
      CHECK(choice.tried_queries <= options.tries[0] * options.try_queries);
    CHECK_THAT(to_table(report), Contains("the 2 N best-ranked candidates race on at most N x Q further queries"));
    return score_of(report, choices)->mean_relative.value;
  };
  CHECK(mean(0) == 1);
  CHECK(mean(0.5) < 0.999);
  CHECK(mean(0.5) > 0.8);
}

TEST_CASE("without a second query, trying is not scored") {
  const learning learned = quick();
  evaluation_options options;
  options.tries = {2};
  const evaluation_report report = evaluate(synthetic::make(12), {&learned, 1}, options);
  CHECK_FALSE(score_of(report, report.strategy("boosted, 2 tried")));
  CHECK_THROWS_AS(report.strategy(swept_query_name), std::invalid_argument);
  CHECK_THAT(to_table(report), !Contains("2 tried"));
}

TEST_CASE("measured again: noise of the recorded size makes the oracle choose another candidate sometimes") {
  training_set set = synthetic::make(48);
  CHECK_THROWS_AS(evaluate_quick(set).strategy(measured_oracle_name), std::invalid_argument);
  for (observation& seen : set.observations) seen.samples = 7;
  const auto mean = [&](double spread) {
    for (observation& seen : set.observations) seen.spread = spread;
    const evaluation_report report = evaluate_quick(set);
    return score_of(report, report.strategy(measured_oracle_name))->mean_relative.value;
  };
  CHECK(mean(0) == 1);
  CHECK(mean(0.2) < 1);
  CHECK(mean(1) < mean(0.2));
}

TEST_CASE("groups that are not evaluated are learned from in every fold") {
  const training_set set = synthetic::make(24);
  std::set<std::string> groups;
  for (const workload_example& workload : set.workloads) groups.insert(workload.group);
  evaluation_options options;
  options.test_groups = {*groups.begin(), *std::next(groups.begin()), *std::next(groups.begin(), 2)};
  const evaluation_report report = evaluate_quick(set, options);
  CHECK(report.folds == 3);
  for (const workload_example& workload : report.workloads) CHECK(options.test_groups.contains(workload.group));
  CHECK(report.training_only == 24 - report.workloads.size());
  CHECK(report.mean_training_workloads == Approx(24 - static_cast<double>(report.workloads.size()) / 3));
  for (const auto& repeats : report.strategies[0].workloads) CHECK(repeats.size() == 1);
  CHECK_THAT(to_table(report), Contains("Learned from, but not evaluated on"));
  CHECK_THAT(to_table(report), Contains("Warning: 3 groups are too few to judge a selector; give 4 or more"));
  options.test_groups.insert("a group without workloads");
  CHECK_THROWS_WITH(evaluate_quick(set, options), Contains("1 of 4 groups") && Contains("a group without workloads"));
}

TEST_CASE("calibration: choices by what was predicted for them") {
  strategy_choices strategy{.name = "boosted", .workloads = {}};
  for (const auto& [predicted, relative] : {std::pair(0.99, 1.0), {0.99, 0.8}, {0.9, 0.95}, {0.2, 0.4}})
    strategy.workloads.push_back({{.selected = "x", .relative = relative, .predicted = predicted}});
  const std::vector<calibration_bin> bins = calibration_of(strategy);
  REQUIRE(bins.size() == 3);
  CHECK(bins[0].poor == 1);
  CHECK(bins[0].relative == Approx(0.4));
  CHECK(bins[1].low == 0.9);
  CHECK(bins[2].choices == 2);
  CHECK(bins[2].relative == Approx(0.9));
  CHECK(bins[2].near_best == Approx(0.5));
  CHECK(calibration_of({.name = "best fixed", .workloads = {{{.selected = "x"}}}}).empty());
}

TEST_CASE("a failure counts as a slowdown of 10, and sizes are by edges") {
  evaluation_report report;
  report.features = {"nnz"};
  for (const double edges : {100.0, 1e6, 2e6, 1e9}) report.workloads.push_back({"w", "g", "", {edges}});
  report.strategies = {{"boosted",
                        {{{.selected = "x", .relative = 0}},
                         {{.selected = "x", .relative = 1}},
                         {{.selected = "x", .relative = 0.5}},
                         {}}}};
  CHECK(score_of(report, report.strategies[0], {.size_class = 0})->slowdown.value == Approx(10));
  CHECK(score_of(report, report.strategies[0], {.size_class = 0})->failed == 1);
  CHECK(score_of(report, report.strategies[0], {.size_class = 2})->mean_relative.value == 1);
  CHECK(score_of(report, report.strategies[0], {.size_class = 3})->mean_relative.value == 0.5);
  CHECK_FALSE(score_of(report, report.strategies[0], {.size_class = 4}));
  CHECK(score_of(report, report.strategies[0])->slowdown.value == Approx(std::cbrt(20)));
  // A success counts as it is, however slow.
  report.strategies[0].workloads[2] = {{.selected = "x", .relative = 0.01}};
  CHECK(score_of(report, report.strategies[0], {.size_class = 3})->slowdown.value == Approx(100));
  CHECK(score_of(report, report.strategies[0], {.size_class = 3})->failed == 0);
}

TEST_CASE("one method twice has two names") {
  const std::vector<learning> twice{quick(), quick()};
  const evaluation_report report = evaluate(synthetic::make(12), twice, {});
  CHECK(report.strategies[0].name == "boosted");
  CHECK(report.strategies[1].name == "boosted+2");
}

TEST_CASE("the report does not depend on the order of the record") {
  training_set shuffled = synthetic::make(24);
  const std::string expected = to_csv(evaluate_quick(shuffled));
  std::reverse(shuffled.observations.begin(), shuffled.observations.end());
  std::vector<std::size_t> backwards;
  for (std::size_t c = shuffled.candidates.size(); c-- > 0;) backwards.push_back(c);
  shuffled = keep_candidates(shuffled, backwards);
  CHECK(to_csv(evaluate_quick(shuffled)) == expected);
}

TEST_CASE("the held-out workloads do not influence their own choices") {
  const training_set set = synthetic::make(24);
  // Inverts the times of one group: the choices for its fold must not change.
  training_set changed = set;
  for (observation& measurement : changed.observations) {
    if (set.workloads[measurement.workload].group == "group-2")
      measurement.milliseconds = 1.0 / measurement.milliseconds;
  }
  for (bool reduce : {false, true}) {
    evaluation_options options;
    if (reduce) options.cover_tolerance = 0.1;
    options.rules = {&last_candidate};
    const auto first = evaluate_quick(set, options);
    const auto second = evaluate_quick(changed, options);
    REQUIRE(set.workloads[6].group == "group-2");
    const std::size_t fold = first.strategies[0].workloads[6][0].fold;
    for (const std::string_view name : {std::string_view("boosted"), best_fixed_name, last_candidate.name}) {
      std::size_t other_folds_changed = 0;
      for (std::size_t g = 0; g < first.workloads.size(); ++g) {
        const held_out_choice& before = first.strategy(name).workloads[g][0];
        const held_out_choice& after = second.strategy(name).workloads[g][0];
        if (before.fold == fold) CHECK(before.selected == after.selected);
        if (before.fold != fold && before.selected != after.selected) ++other_folds_changed;
      }
      if (name == "boosted") CHECK(other_folds_changed > 0);
    }
  }
}

TEST_CASE("gaps and failures: a choice without a time scores 0, an unsolved workload is left out") {
  training_set set = synthetic::make(12);
  std::erase_if(set.observations, [](const observation& measurement) {
    return measurement.workload == 4 && measurement.candidate % 2 == 0;
  });
  for (observation& measurement : set.observations) measurement.ok = measurement.ok && measurement.workload != 7;
  const evaluation_report report = evaluate_quick(set);
  CHECK(report.unsolved == 1);
  REQUIRE(report.workloads.size() == 11);
  CHECK(std::none_of(report.workloads.begin(), report.workloads.end(),
                     [](const workload_example& workload) { return workload.name == "workload-007"; }));
  REQUIRE(report.workloads[4].name == "workload-004");
  for (const strategy_choices& strategy : report.strategies) {
    for (std::size_t c = 0; c < set.candidates.size(); c += 2) {
      if (strategy.workloads[4][0].selected == set.candidates[c].label) CHECK(strategy.workloads[4][0].relative == 0.0);
    }
  }
  CHECK(report.strategy(oracle_name).workloads[4][0].relative == 1);
}

TEST_CASE("with fewer candidates allowed, fewer are chosen from, inside each fold") {
  evaluation_options options;
  options.cover_tolerance = 0.02;
  const evaluation_report many = evaluate_quick(synthetic::make(), options);
  options.most_candidates = 2;
  const evaluation_report two = evaluate_quick(synthetic::make(), options);
  CHECK(many.mean_candidates > 2);
  CHECK(two.mean_candidates == 2);
  const auto ceiling = [](const evaluation_report& report) {
    return score_of(report, report.strategy(best_candidate_name))->mean_relative.value;
  };
  CHECK(ceiling(two) < ceiling(many));
  std::set<std::string> chosen;
  for (const auto& repeats : two.strategies[0].workloads) chosen.insert(repeats[0].selected);
  CHECK(chosen.size() <= 2 * two.folds);
}

TEST_CASE("the learning curve learns from more and more workloads, and gets better") {
  const std::vector<double> shares{0.15, 0.5, 1.0};
  evaluation_options options;
  options.repeats = 2;
  const auto curve = learning_curve(synthetic::make(60), quick(), options, shares);
  REQUIRE(curve.size() == 3);
  CHECK(curve[0].training_workloads < curve[1].training_workloads);
  CHECK(curve[2].training_workloads == Approx(48));
  CHECK(curve[1].training_workloads == Approx(24));
  CHECK(curve[0].selector.mean_relative.value + 0.03 < curve[2].selector.mean_relative.value);
  for (const curve_point& point : curve)
    CHECK(point.selector.mean_relative.value <= point.candidates.mean_relative.value);
  const std::string csv = to_csv(curve);
  CHECK(
      csv.starts_with("share,training_workloads,selector_near_best,selector_near_best_low,selector_near_best_high,"
                      "selector_mean_relative,selector_mean_relative_low,selector_mean_relative_high,"
                      "candidates_near_best,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
}
