// SPDX-License-Identifier: Apache-2.0
#include "selector/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "selector/candidates.hpp"
#include "selector/completion.hpp"
#include "selector/inference.hpp"
#include "selector/race.hpp"
#include "selector/random.hpp"
#include "selector/simulated_queries.hpp"
#include "selector/small_tree.hpp"
#include "selector/train.hpp"

namespace mlmq::selector {
namespace {

std::vector<std::size_t> solved_workloads(const training_set& set) {
  const performance_matrix performance(set);
  std::vector<std::size_t> solved;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    if (performance.solved(w)) solved.push_back(w);
  }
  return solved;
}

std::string_view workload_of(const workload_example& example) {
  return example.workload.empty() ? std::string_view(example.name) : std::string_view(example.workload);
}

/// A record in two forms with the same candidates: one instance per workload, and one per workload and query.
struct record {
  training_set means;
  training_set queries;
};

/// Returns the record of some of the workloads. @param workloads indices into means.workloads
record keep_record(const record& whole, std::span<const std::size_t> workloads) {
  record result{.means = keep_workloads(whole.means, workloads), .queries = {}};
  std::set<std::string_view> names;
  for (const workload_example& workload : result.means.workloads) names.insert(workload.name);
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < whole.queries.workloads.size(); ++q) {
    if (names.contains(workload_of(whole.queries.workloads[q]))) queries.push_back(q);
  }
  result.queries = keep_workloads(whole.queries, queries);
  return result;
}

/// Returns the training workloads while `fold` is held out: all others, or those of a random share of their groups.
std::vector<std::size_t> training_workloads(const training_set& set, const std::vector<std::size_t>& folds,
                                            std::size_t fold, double share, std::uint64_t seed) {
  std::set<std::string> names;
  for (std::size_t g = 0; g < folds.size(); ++g) {
    if (folds[g] != fold) names.insert(set.workloads[g].group);
  }
  std::vector<std::string> order(names.begin(), names.end());
  if (share < 1) shuffle(order, seed);
  const auto group_count = static_cast<std::size_t>(share * static_cast<double>(order.size()) + 0.5);
  order.resize(std::clamp<std::size_t>(group_count, 1, order.size()));
  const std::set<std::string> kept_groups(order.begin(), order.end());
  std::vector<std::size_t> result;
  for (std::size_t g = 0; g < folds.size(); ++g) {
    if (folds[g] != fold && kept_groups.contains(set.workloads[g].group)) result.push_back(g);
  }
  return result;
}

/// The strategies that were trained without one fold. Candidates are identified by label, because reducing them
/// renumbers them.
struct fold_strategies {
  training_set training;
  performance_matrix performance;
  std::vector<candidate> candidates;  ///< those that the methods choose from
  std::vector<selector> choosers;     ///< one per method
  small_tree tree;
  std::string fixed;
};

/// @param record one instance per workload, as in 'mlmq selector train'
fold_strategies learn(const training_set& record, std::span<const learning> methods,
                      const evaluation_options& options) {
  training_set training = complete_missing_times(record);
  performance_matrix performance(training);
  std::string fixed = training.candidates[best_fixed_candidate(performance)].label;
  training_set reduced = training;
  if (options.cover_tolerance)
    reduced =
        keep_candidates(reduced, covering_candidates(training, *options.cover_tolerance, options.most_candidates));
  std::vector<selector> choosers;
  for (const learning& learning_method : methods) choosers.emplace_back(train_model(reduced, learning_method, {}));
  small_tree tree(training, performance);
  return {.training = std::move(training),
          .performance = std::move(performance),
          .candidates = std::move(reduced.candidates),
          .choosers = std::move(choosers),
          .tree = std::move(tree),
          .fixed = std::move(fixed)};
}

std::vector<std::string> strategy_names(std::span<const learning> methods, const evaluation_options& options,
                                        std::span<const rule_record> rules, bool has_queries, bool has_noise) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const learning& learning_method : methods) {
    const std::string name(to_string(learning_method.algorithm));
    const int count = ++seen[name];
    names.push_back(count == 1 ? name : fmt::format("{}+{}", name, count));
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (const std::size_t count : options.tries) {
      names.push_back(fmt::format("{}, {} tried", names[i], count));
      if (options.try_queries > 0)
        names.push_back(fmt::format("{}, {} x {} queries", names[i], count, options.try_queries));
    }
  }
  names.emplace_back(small_tree_name);
  names.emplace_back(best_fixed_name);
  for (const rule_record& used : rules) names.emplace_back(used.rule->name);
  if (has_queries) names.emplace_back(swept_query_name);
  if (has_noise) names.emplace_back(measured_oracle_name);
  names.emplace_back(best_candidate_name);
  names.emplace_back(oracle_name);
  return names;
}

/// Returns the times of a second measurement: each median is multiplied by a random error of the size that the recorded
/// spread implies.
training_set measured_again(const training_set& queries) {
  // The standard error of a median of n normal samples is 1.25 deviations / sqrt(n); an interquartile range is 1.35
  // deviations.
  constexpr double errors_per_range = 1.2533 / 1.349;
  portable_random random(1);
  training_set result = queries;
  for (observation& seen : result.observations) {
    if (!seen.ok || seen.samples == 0) continue;
    const double error = seen.spread * errors_per_range / std::sqrt(static_cast<double>(seen.samples));
    seen.milliseconds *= std::exp(error * normal(random));
  }
  return result;
}

/// The times of one workload from each of its queries, by candidate. Absent times are infinite.
class query_times {
 public:
  explicit query_times(std::size_t candidates) : candidates_(candidates) {}

  void add_query() { times_.insert(times_.end(), candidates_, infinite); }
  void set_last(std::size_t candidate, double milliseconds) {
    times_[times_.size() - candidates_ + candidate] = milliseconds;
  }

  [[nodiscard]] std::size_t count() const { return times_.size() / candidates_; }
  [[nodiscard]] double time(std::size_t query, std::size_t candidate) const {
    return times_[query * candidates_ + candidate];
  }

  /// Returns the relative performance of a candidate on one query; 0 for an absent time.
  [[nodiscard]] double relative(std::size_t query, std::size_t candidate) const {
    double best = infinite;
    for (std::size_t c = 0; c < candidates_; ++c) best = std::min(best, time(query, c));
    return std::isfinite(time(query, candidate)) ? best / time(query, candidate) : 0;
  }

  /// Returns the relative performance of a candidate by the sum of the times on all queries but one.
  [[nodiscard]] double relative_on_others(std::size_t query, std::size_t candidate) const {
    double best = infinite;
    double chosen = infinite;
    for (std::size_t c = 0; c < candidates_; ++c) {
      double sum = 0;
      for (std::size_t other = 0; other < count(); ++other) sum += other == query ? 0 : time(other, c);
      best = std::min(best, sum);
      if (c == candidate) chosen = sum;
    }
    return std::isfinite(chosen) ? best / chosen : 0;
  }

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  std::size_t candidates_;
  std::vector<double> times_;
};

/// One whole cross-validation.
class cross_validation {
 public:
  /// @param tested indices of the workloads of the report
  cross_validation(const record& whole, std::span<const learning> methods, const evaluation_options& options,
                   const std::vector<std::size_t>& tested, evaluation_report& report)
      : record_(whole),
        methods_(methods),
        options_(options),
        tested_(tested),
        report_(report),
        performance_(whole.means),
        noisy_(mean_over_queries(measured_again(whole.queries))) {
    const std::size_t candidates = whole.means.candidates.size();
    for (std::size_t c = 0; c < candidates; ++c) index_of_[whole.means.candidates[c].label] = c;
    std::map<std::string_view, std::size_t> place_of;
    for (const workload_example& workload : whole.means.workloads) {
      place_of.emplace(workload.name, times_.size());
      times_.emplace_back(candidates);
    }
    std::vector<std::size_t> place(whole.queries.workloads.size());
    std::size_t next = 0;
    for (std::size_t q = 0; q < place.size(); ++q) {
      query_times& times = times_[place_of.at(workload_of(whole.queries.workloads[q]))];
      times.add_query();
      // Observations are in the order of their workloads.
      const std::vector<observation>& seen = whole.queries.observations;
      for (; next < seen.size() && seen[next].workload == q; ++next) {
        if (seen[next].ok) times.set_last(seen[next].candidate, seen[next].milliseconds);
      }
    }
  }

  void run(std::uint64_t seed) {
    std::vector<workload_example> tested_workloads;
    for (const std::size_t w : tested_) tested_workloads.push_back(record_.means.workloads[w]);
    const std::vector<std::size_t> tested_folds = assign_folds(tested_workloads, options_.folds, seed);
    const std::size_t count = *std::max_element(tested_folds.begin(), tested_folds.end()) + 1;
    std::vector<std::size_t> folds(record_.means.workloads.size(), count);  // by default in no fold
    std::map<std::string_view, std::size_t> fold_of_group;
    for (std::size_t i = 0; i < tested_.size(); ++i) fold_of_group.emplace(tested_workloads[i].group, tested_folds[i]);
    for (std::size_t w = 0; w < folds.size(); ++w) {
      const auto tested = fold_of_group.find(record_.means.workloads[w].group);
      if (tested != fold_of_group.end()) folds[w] = tested->second;
    }
    report_.folds = count;
    const double weight = 1.0 / static_cast<double>(count * options_.repeats);
    for (std::size_t fold = 0; fold < count; ++fold) {
      const auto training = training_workloads(record_.means, folds, fold, options_.train_share, seed * 1000 + fold);
      const fold_strategies learned = learn(keep_workloads(record_.means, training), methods_, options_);
      report_.mean_candidates += weight * static_cast<double>(learned.candidates.size());
      report_.mean_training_workloads += weight * static_cast<double>(training.size());
      for (std::size_t i = 0; i < tested_.size(); ++i) {
        if (tested_folds[i] == fold) choose(learned, i, fold);
      }
      if (options_.on_progress) options_.on_progress(++finished_folds_, count * options_.repeats);
    }
  }

 private:
  /// Appends the choices of all strategies for one workload, in the order of strategy_names().
  void choose(const fold_strategies& learned, std::size_t position, std::size_t fold) {
    const std::size_t workload = tested_[position];
    const feature_values& features = record_.means.workloads[workload].features;
    std::size_t next = 0;
    const auto choices = [&]() -> std::vector<held_out_choice>& {
      return report_.strategies[next++].workloads[position];
    };
    const auto add = [&](const std::string& label, std::optional<double> predicted = std::nullopt) {
      choices().push_back(score(workload, label, fold, predicted));
    };
    std::vector<std::vector<ranked_candidate>> rankings;
    for (const selector& chooser : learned.choosers) {
      rankings.push_back(chooser.ranked(pick_features(chooser.features(), record_.means.features, features)));
      const ranked_candidate& best = rankings.back().front();
      add(chooser.label(best.candidate), best.predicted);
    }
    for (std::size_t m = 0; m < rankings.size(); ++m) {
      for (const std::size_t count : options_.tries) {
        std::vector<std::size_t> tried;
        std::vector<double> predicted;
        const std::size_t entrants = std::min(race::entrants_per_try * count, rankings[m].size());
        for (const ranked_candidate& ranked : std::span(rankings[m]).first(entrants)) {
          tried.push_back(index_of_.at(learned.choosers[m].label(ranked.candidate)));
          predicted.push_back(double{ranked.predicted});
        }
        add_tried(choices(), workload, fold, std::span(tried).first(std::min(count, tried.size())));
        if (options_.try_queries > 0)
          add_raced(choices(), workload, fold, tried, predicted, options_.try_queries * count);
      }
    }
    add(learned.training.candidates[learned.tree.choose(features)].label);
    add(learned.fixed);
    for (rule_record& used : report_.rules) {
      const rule_choice by_rule = used.rule->choose(learned.training, learned.performance, features);
      used.off_record += by_rule.exact ? 0 : 1;
      add(learned.training.candidates[by_rule.candidate].label);
    }
    std::vector<std::size_t> every_candidate;
    for (std::size_t c = 0; c < record_.means.candidates.size(); ++c) every_candidate.push_back(c);
    if (report_.strategies[next].name == swept_query_name) add_tried(choices(), workload, fold, every_candidate);
    if (report_.strategies[next].name == measured_oracle_name)
      add(label_of(best_of(noisy_, workload, every_candidate)));
    std::vector<std::size_t> offered;
    for (const candidate& entry : learned.candidates) offered.push_back(index_of_.at(entry.label));
    add(label_of(best_of(performance_, workload, offered)));
    add(label_of(best_of(performance_, workload, every_candidate)));
  }

  [[nodiscard]] held_out_choice score(std::size_t workload, const std::string& label, std::size_t fold,
                                      std::optional<double> predicted) const {
    const std::size_t candidate = index_of_.at(label);
    held_out_choice choice{.selected = label,
                           .relative = performance_.relative(workload, candidate),
                           .fold = fold,
                           .predicted = predicted,
                           .measured = performance_.measured(workload, candidate)};
    for (std::size_t q = 0; q < times_[workload].count(); ++q)
      choice.query_relative.push_back(times_[workload].relative(q, candidate));
    return choice;
  }

  /// Appends the choice of timing the candidates on one query, averaged over which one, and scored on the others.
  void add_tried(std::vector<held_out_choice>& choices, std::size_t workload, std::size_t fold,
                 std::span<const std::size_t> tried) const {
    const query_times& times = times_[workload];
    if (times.count() < 2) return;
    held_out_choice choice{.selected = {}, .relative = 0, .fold = fold};
    for (std::size_t query = 0; query < times.count(); ++query) {
      std::size_t fastest = tried.front();
      for (const std::size_t c : tried) {
        if (times.time(query, c) < times.time(query, fastest)) fastest = c;
      }
      if (query == 0) choice.selected = label_of(fastest);
      choice.relative += times.relative_on_others(query, fastest) / static_cast<double>(times.count());
      for (std::size_t other = 0; other < times.count(); ++other) {
        if (other != query) choice.query_relative.push_back(times.relative(other, fastest));
      }
    }
    choices.push_back(std::move(choice));
  }

  /// Appends the choices of races on further queries. @param queries number of queries of a race
  void add_raced(std::vector<held_out_choice>& choices, std::size_t workload, std::size_t fold,
                 std::span<const std::size_t> tried, std::span<const double> predicted, std::size_t queries) const {
    constexpr int draws = 20;
    const query_times& times = times_[workload];
    if (times.count() < 2) return;
    const simulated_queries further(times.count(), record_.means.candidates.size(),
                                    [&](std::size_t query, std::size_t c) { return times.time(query, c); });
    portable_random random(workload);
    for (int draw = 0; draw < draws; ++draw) {
      const simulated_queries::race_result race = further.race_of(tried, predicted, queries, random);
      choices.push_back(score(workload, label_of(race.winner), fold, std::nullopt));
      choices.back().tried_queries = race.runs;
    }
  }

  [[nodiscard]] const std::string& label_of(std::size_t candidate) const {
    return record_.means.candidates[candidate].label;
  }

  /// Returns the best of these candidates on a workload; ties go to the first.
  static std::size_t best_of(const performance_matrix& performance, std::size_t workload,
                             std::span<const std::size_t> candidates) {
    std::size_t best = candidates.front();
    for (const std::size_t c : candidates) {
      if (performance.relative(workload, c) > performance.relative(workload, best)) best = c;
    }
    return best;
  }

  const record& record_;
  std::span<const learning> methods_;
  const evaluation_options& options_;
  const std::vector<std::size_t>& tested_;  ///< workloads that are evaluated
  evaluation_report& report_;
  performance_matrix performance_;
  performance_matrix noisy_;  ///< of times that were measured again
  std::vector<query_times> times_;
  std::size_t finished_folds_ = 0;
  std::map<std::string, std::size_t> index_of_;
};

/// Returns the indices of the workloads that are evaluated. @throws input_error for a group that no workload has
std::vector<std::size_t> tested_workloads(const training_set& means, const std::set<std::string>& groups) {
  std::set<std::string> missing = groups;
  std::vector<std::size_t> tested;
  for (const std::size_t w : complete_workloads(means)) {
    missing.erase(means.workloads[w].group);
    if (groups.empty() || groups.contains(means.workloads[w].group)) tested.push_back(w);
  }
  if (!missing.empty())
    throw input_error(fmt::format("{} of {} groups to evaluate on have no workload on record, such as '{}'",
                                  missing.size(), groups.size(), *missing.begin()));
  return tested;
}

}  // namespace

const strategy_choices& evaluation_report::strategy(std::string_view name) const {
  const auto match = std::find_if(strategies.begin(), strategies.end(),
                                  [&](const strategy_choices& choices) { return choices.name == name; });
  if (match == strategies.end()) throw std::invalid_argument("no strategy of this name");
  return *match;
}

std::vector<std::size_t> assign_folds(std::span<const workload_example> workloads, std::size_t folds,
                                      std::uint64_t seed) {
  if (folds < 2) throw input_error("cross-validation needs at least 2 folds");
  std::set<std::string> names;
  for (const workload_example& workload : workloads) names.insert(workload.group);
  if (names.size() < 2)
    throw input_error(
        fmt::format("cross-validation needs at least 2 groups of workloads, but there {}; measure "
                    "other workloads, too",
                    names.empty() ? "are none" : "is 1"));
  std::vector<std::string> shuffled(names.begin(), names.end());
  shuffle(shuffled, seed);
  std::map<std::string, std::size_t> fold_of;
  const std::size_t used = std::min(folds, shuffled.size());
  for (std::size_t i = 0; i < shuffled.size(); ++i) fold_of[shuffled[i]] = i % used;
  std::vector<std::size_t> result;
  for (const workload_example& workload : workloads) result.push_back(fold_of.at(workload.group));
  return result;
}

std::size_t best_fixed_candidate(const performance_matrix& performance) {
  std::size_t best = 0;
  double best_sum = -1;
  for (std::size_t c = 0; c < performance.candidates(); ++c) {
    double sum = 0;
    for (std::size_t g = 0; g < performance.workloads(); ++g) sum += performance.relative(g, c);
    if (sum > best_sum) {
      best = c;
      best_sum = sum;
    }
  }
  return best;
}

evaluation_report evaluate(const training_set& set, std::span<const learning> methods,
                           const evaluation_options& options) {
  validate(set);
  if (options.repeats < 1) throw input_error("cross-validation needs at least 1 repeat");
  if (std::find(options.tries.begin(), options.tries.end(), std::size_t{0}) != options.tries.end())
    throw input_error("the number of candidates to try: 0, expected at least 1");
  if (!(options.train_share > 0 && options.train_share <= 1))
    throw input_error(
        fmt::format("the share of the training workloads: {}, expected a number in (0,1]", options.train_share));
  const record whole{.means = mean_over_queries(set), .queries = in_canonical_order(set)};
  const record solved = keep_record(whole, solved_workloads(whole.means));
  const std::vector<std::size_t> tested = tested_workloads(solved.means, options.test_groups);

  evaluation_report report;
  report.repeats = options.repeats;
  report.unsolved = whole.means.workloads.size() - solved.means.workloads.size();
  report.training_only = solved.means.workloads.size() - tested.size();
  report.features = solved.means.features;
  for (const std::size_t w : tested) report.workloads.push_back(solved.means.workloads[w]);
  for (const rule_of_thumb* rule : options.rules) {
    if (!rule->covered(solved.means).empty()) report.rules.push_back({.rule = rule});
  }
  const bool has_queries = solved.queries.workloads.size() > solved.means.workloads.size();
  const auto& seen = solved.queries.observations;
  const bool has_noise = std::any_of(seen.begin(), seen.end(), [](const observation& o) { return o.samples > 1; });
  for (std::string& name : strategy_names(methods, options, report.rules, has_queries, has_noise)) {
    report.strategies.push_back({std::move(name), {}});
    report.strategies.back().workloads.resize(tested.size());
  }
  cross_validation validation(solved, methods, options, tested, report);
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) validation.run(options.seed + repeat);
  return report;
}

}  // namespace mlmq::selector
