// SPDX-License-Identifier: Apache-2.0
#include "selector/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "selector/candidates.hpp"
#include "selector/inference.hpp"
#include "selector/random.hpp"
#include "selector/train.hpp"

namespace mlmq::selector {
namespace {

constexpr double near_best_threshold = 0.9;
constexpr double closer_threshold = 0.95;
constexpr std::size_t bootstrap_samples = 2000;

training_set keep_solved_workloads(const training_set& set, const performance_matrix& performance) {
  std::vector<std::size_t> solved;
  for (std::size_t g = 0; g < set.workloads.size(); ++g) {
    if (performance.solved(g)) solved.push_back(g);
  }
  return keep_workloads(set, solved);
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
  training_set reduced;
  std::vector<selector> choosers;  ///< one per method
  std::string fixed;
};

fold_strategies learn(training_set training, std::span<const learning> methods, const evaluation_options& options) {
  fold_strategies result;
  const performance_matrix performance(training);
  result.fixed = training.candidates[best_fixed_candidate(performance)].label;
  result.reduced = training;
  if (options.cover_tolerance) {
    result.reduced =
        keep_candidates(training, covering_candidates(performance, *options.cover_tolerance, options.most_candidates));
  }
  for (const learning& learning_method : methods)
    result.choosers.emplace_back(train_model(result.reduced, learning_method, {}));
  result.training = std::move(training);
  return result;
}

/// Returns the label of the best of these candidates on a workload; ties go to the first.
template <typename Labels>
std::string best_label(const performance_matrix& performance, std::size_t workload,
                       const std::map<std::string, std::size_t>& index_of, const Labels& labels) {
  const std::string* best = nullptr;
  for (const auto& entry : labels) {
    if (best == nullptr ||
        performance.relative(workload, index_of.at(entry.label)) > performance.relative(workload, index_of.at(*best)))
      best = &entry.label;
  }
  return *best;
}

/// @param rule the name of the rule of thumb; "": there is none
std::vector<std::string> strategy_names(std::span<const learning> methods, std::span<const std::size_t> tries,
                                        const std::string& rule) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const learning& learning_method : methods) {
    const std::string name(to_string(learning_method.algorithm));
    const int count = ++seen[name];
    names.push_back(count == 1 ? name : fmt::format("{}+{}", name, count));
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (const std::size_t count : tries) names.push_back(fmt::format("{}, {} tried", names[i], count));
  }
  names.emplace_back(best_fixed_name);
  if (!rule.empty()) names.push_back(rule);
  names.emplace_back(best_candidate_name);
  names.emplace_back(oracle_name);
  return names;
}

/// One whole cross-validation.
class cross_validation {
 public:
  cross_validation(const training_set& set, std::span<const learning> methods, const evaluation_options& options,
                   evaluation_report& report)
      : set_(set), methods_(methods), options_(options), report_(report), performance_(set) {
    for (std::size_t c = 0; c < set.candidates.size(); ++c) index_of_[set.candidates[c].label] = c;
  }

  void run(std::uint64_t seed) {
    const std::vector<std::size_t> folds = assign_folds(set_.workloads, options_.folds, seed);
    const std::size_t count = *std::max_element(folds.begin(), folds.end()) + 1;
    report_.folds = count;
    const double weight = 1.0 / static_cast<double>(count * options_.repeats);
    for (std::size_t fold = 0; fold < count; ++fold) {
      const auto training = training_workloads(set_, folds, fold, options_.train_share, seed * 1000 + fold);
      const fold_strategies learned = learn(keep_solved(keep_workloads(set_, training)), methods_, options_);
      report_.mean_candidates += weight * static_cast<double>(learned.reduced.candidates.size());
      report_.mean_training_workloads += weight * static_cast<double>(training.size());
      const performance_matrix seen(learned.training);
      for (std::size_t g = 0; g < folds.size(); ++g) {
        if (folds[g] == fold) choose(learned, seen, g, fold);
      }
      if (options_.on_progress) options_.on_progress(++finished_folds_, count * options_.repeats);
    }
  }

 private:
  static training_set keep_solved(const training_set& set) {
    return keep_solved_workloads(set, performance_matrix(set));
  }

  void choose(const fold_strategies& learned, const performance_matrix& seen, std::size_t workload, std::size_t fold) {
    const feature_values& features = set_.workloads[workload].features;
    std::size_t next = 0;
    const auto add = [&](std::string label) {
      const double relative = performance_.relative(workload, index_of_.at(label));
      report_.strategies[next++].workloads[workload].push_back({std::move(label), relative, fold});
    };
    for (const selector& chooser : learned.choosers)
      add(chooser.label(chooser.select(pick_features(chooser.features(), set_.features, features))));
    for (const selector& chooser : learned.choosers) {
      const std::vector<ranked_candidate> ranking =
          chooser.ranked(pick_features(chooser.features(), set_.features, features));
      for (const std::size_t count : options_.tries)
        add(fastest_of(std::span(ranking).first(std::min(count, ranking.size())), chooser, workload));
    }
    add(learned.fixed);
    if (!report_.rule.empty()) {
      const rule_choice by_rule = options_.rule->choose(learned.training, seen, features);
      report_.rule_off_record += by_rule.exact ? 0 : 1;
      add(learned.training.candidates[by_rule.candidate].label);
    }
    add(best_label(performance_, workload, index_of_, learned.reduced.candidates));
    add(best_label(performance_, workload, index_of_, set_.candidates));
  }

  [[nodiscard]] std::string fastest_of(std::span<const ranked_candidate> tried, const selector& chooser,
                                       std::size_t workload) const {
    std::vector<candidate> tried_candidates;
    for (const ranked_candidate& ranked : tried) tried_candidates.push_back(chooser.candidates()[ranked.candidate]);
    return best_label(performance_, workload, index_of_, tried_candidates);
  }

  const training_set& set_;
  std::span<const learning> methods_;
  const evaluation_options& options_;
  evaluation_report& report_;
  performance_matrix performance_;
  std::size_t finished_folds_ = 0;
  std::map<std::string, std::size_t> index_of_;
};

/// Contribution of one workload to a score: means over its repeats.
struct workload_score {
  double near_best = 0;
  double within_095 = 0;
  double relative = 0;
};

workload_score score_workload(const std::vector<held_out_choice>& repeats) {
  workload_score result;
  for (const held_out_choice& choice : repeats) {
    result.near_best += choice.relative >= near_best_threshold ? 1.0 : 0.0;
    result.within_095 += choice.relative >= closer_threshold ? 1.0 : 0.0;
    result.relative += choice.relative;
  }
  const auto count = static_cast<double>(repeats.size());
  return {result.near_best / count, result.within_095 / count, result.relative / count};
}

workload_score mean_of(const std::vector<const std::vector<workload_score>*>& groups) {
  workload_score sum;
  double count = 0;
  for (const std::vector<workload_score>* group : groups) {
    for (const workload_score& score : *group) {
      sum.near_best += score.near_best;
      sum.within_095 += score.within_095;
      sum.relative += score.relative;
      ++count;
    }
  }
  count = std::max(count, 1.0);
  return {sum.near_best / count, sum.within_095 / count, sum.relative / count};
}

/// Returns the value with the 2.5 % and 97.5 % quantiles of the bootstrap values as its interval.
estimate with_interval(double value, std::vector<double> sampled) {
  std::sort(sampled.begin(), sampled.end());
  const std::size_t tail = sampled.size() / 40;
  return {value, sampled[tail], sampled[sampled.size() - 1 - tail]};
}

std::string percent(const estimate& share) {
  return fmt::format("{:>5.1f} ({:.0f}–{:.0f})", 100 * share.value, 100 * share.low, 100 * share.high);
}

std::string decimal(const estimate& number) {
  return fmt::format("{:.3f} ({:.3f}–{:.3f})", number.value, number.low, number.high);
}

std::set<std::string> classes_of(const evaluation_report& report) {
  std::set<std::string> classes;
  for (const workload_example& workload : report.workloads) classes.insert(workload.workload_class);
  return classes;
}

/// Formats the loss of each strategy per class: 1 - mean relative performance.
std::string class_table(const evaluation_report& report) {
  const std::set<std::string> classes = classes_of(report);
  std::string text = fmt::format("{:<16}", "loss in %");
  for (const std::string& name : classes) {
    const auto count = std::count_if(report.workloads.begin(), report.workloads.end(),
                                     [&](const workload_example& workload) { return workload.workload_class == name; });
    text += fmt::format("  {:>16}", fmt::format("{} ({})", name.empty() ? "(no class)" : name, count));
  }
  text += '\n';
  for (const strategy_choices& strategy : report.strategies) {
    text += fmt::format("{:<16}", strategy.name);
    for (const std::string& name : classes) {
      std::vector<workload_score> members;
      for (std::size_t g = 0; g < report.workloads.size(); ++g) {
        if (report.workloads[g].workload_class == name) members.push_back(score_workload(strategy.workloads[g]));
      }
      text += fmt::format("  {:>16.1f}", 100 * (1 - mean_of({&members}).relative));
    }
    text += '\n';
  }
  return text;
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
        fmt::format("cross-validation needs at least 2 groups of workloads, and there {}; measure "
                    "other workloads too",
                    names.empty() ? "is none" : "is 1"));
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
    throw input_error("cannot choose by trying 0 candidates");
  if (!(options.train_share > 0 && options.train_share <= 1))
    throw input_error(fmt::format("cannot learn from a share of {}; it must be in (0,1]", options.train_share));
  const training_set ordered = in_canonical_order(set);
  const training_set solved = keep_solved_workloads(ordered, performance_matrix(ordered));

  evaluation_report report;
  report.repeats = options.repeats;
  report.unsolved = set.workloads.size() - solved.workloads.size();
  report.workloads = solved.workloads;
  if (options.rule != nullptr && options.rule->applies_to(solved)) {
    report.rule = options.rule->name;
    report.rule_names = options.rule->names;
  }
  for (std::string& name : strategy_names(methods, options.tries, report.rule)) {
    report.strategies.push_back({std::move(name), {}});
    report.strategies.back().workloads.resize(solved.workloads.size());
  }
  cross_validation validation(solved, methods, options, report);
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) validation.run(options.seed + repeat);
  return report;
}

strategy_score score_of(const evaluation_report& report, const strategy_choices& strategy,
                        std::string_view workload_class) {
  std::map<std::string, std::vector<workload_score>> by_group;
  strategy_score result;
  result.worst = 1;
  for (std::size_t g = 0; g < report.workloads.size(); ++g) {
    if (!workload_class.empty() && report.workloads[g].workload_class != workload_class) continue;
    by_group[report.workloads[g].group].push_back(score_workload(strategy.workloads[g]));
    for (const held_out_choice& choice : strategy.workloads[g]) result.worst = std::min(result.worst, choice.relative);
  }
  std::vector<const std::vector<workload_score>*> groups;
  for (const auto& [name, members] : by_group) groups.push_back(&members);
  if (groups.empty()) throw std::invalid_argument("no workloads of this class");

  portable_random random(1);
  std::vector<double> near_best;
  std::vector<double> within_095;
  std::vector<double> relative;
  for (std::size_t sample = 0; sample < bootstrap_samples; ++sample) {
    std::vector<const std::vector<workload_score>*> drawn;
    for (std::size_t i = 0; i < groups.size(); ++i) drawn.push_back(groups[random.below(groups.size())]);
    const workload_score mean = mean_of(drawn);
    near_best.push_back(mean.near_best);
    within_095.push_back(mean.within_095);
    relative.push_back(mean.relative);
  }
  const workload_score mean = mean_of(groups);
  result.near_best = with_interval(mean.near_best, std::move(near_best));
  result.within_095 = with_interval(mean.within_095, std::move(within_095));
  result.mean_relative = with_interval(mean.relative, std::move(relative));
  return result;
}

std::string to_table(const evaluation_report& report) {
  std::string text = fmt::format("{:<16}  {:>16}  {:>16}  {:>21}  {:>6}\n", "strategy", "within 0.9, %",
                                 "within 0.95, %", "mean relative", "worst");
  for (const strategy_choices& strategy : report.strategies) {
    const strategy_score score = score_of(report, strategy);
    text += fmt::format("{:<16}  {:>16}  {:>16}  {:>21}  {:>6.3f}\n", strategy.name, percent(score.near_best),
                        percent(score.within_095), decimal(score.mean_relative), score.worst);
  }
  text += '\n' + class_table(report);
  std::set<std::string> groups;
  for (const workload_example& workload : report.workloads) groups.insert(workload.group);
  text += fmt::format(
      "\n{} workloads in {} groups, {}-fold cross-validation over groups, {} {}; 95 % intervals by bootstrap over "
      "groups; "
      "{:.1f} candidates and {:.1f} workloads to learn from per fold.\n",
      report.workloads.size(), groups.size(), report.folds, report.repeats,
      report.repeats == 1 ? "time" : "times with other folds", report.mean_candidates, report.mean_training_workloads);
  if (report.unsolved > 0)
    text += fmt::format("Left out, because no candidate succeeded: {} workloads.\n", report.unsolved);
  if (report.rule_off_record > 0) {
    text += fmt::format(
        "The {} name {} that are not on record for {} of {} choices; there the nearest recorded ones stand in.\n",
        report.rule, report.rule_names, report.rule_off_record, report.workloads.size() * report.repeats);
  }
  return text;
}

std::string to_csv(const evaluation_report& report) {
  std::string text = "workload,group,class,repeat,fold,strategy,choice,relative\r\n";
  for (const strategy_choices& strategy : report.strategies) {
    for (std::size_t g = 0; g < report.workloads.size(); ++g) {
      const workload_example& workload = report.workloads[g];
      for (std::size_t repeat = 0; repeat < strategy.workloads[g].size(); ++repeat) {
        const held_out_choice& choice = strategy.workloads[g][repeat];
        text += fmt::format("{},{},{},{},{},{},{},{}\r\n", csv_field(workload.name), csv_field(workload.group),
                            csv_field(workload.workload_class), repeat, choice.fold, csv_field(strategy.name),
                            csv_field(choice.selected), shortest_decimal(choice.relative));
      }
    }
  }
  return text;
}

std::vector<curve_point> learning_curve(const training_set& set, const learning& learned, evaluation_options options,
                                        std::span<const double> shares) {
  std::vector<curve_point> curve;
  const auto on_progress = std::exchange(options.on_progress, nullptr);
  for (const double share : shares) {
    options.train_share = share;
    if (on_progress) {
      options.on_progress = [&](std::size_t finished, std::size_t folds) {
        on_progress(curve.size() * folds + finished, shares.size() * folds);
      };
    }
    const evaluation_report report = evaluate(set, std::span(&learned, 1), options);
    curve.push_back({share, report.mean_training_workloads, score_of(report, report.strategies.front()),
                     score_of(report, report.strategy(best_candidate_name))});
  }
  return curve;
}

std::string to_csv(std::span<const curve_point> curve) {
  std::string text = "share,training_workloads";
  for (const char* group : {"selector", "candidates"}) {
    for (const char* metric : {"near_best", "mean_relative"}) {
      for (const char* end : {"", "_low", "_high"}) text += fmt::format(",{}_{}{}", group, metric, end);
    }
  }
  text += "\r\n";
  for (const curve_point& point : curve) {
    text += shortest_decimal(point.share) + ',' + shortest_decimal(point.training_workloads);
    for (const strategy_score* score : {&point.selector, &point.candidates}) {
      for (const estimate* metric : {&score->near_best, &score->mean_relative}) {
        for (const double number : {metric->value, metric->low, metric->high}) text += ',' + shortest_decimal(number);
      }
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace mlmq::selector
