// SPDX-License-Identifier: Apache-2.0
#include "selector/evaluation_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "selector/race.hpp"
#include "selector/tuned_evaluation.hpp"

namespace mlmq::selector {
namespace {

/// Formats one line per strategy that has a score in the scope.
std::string score_table(const evaluation_report& report, std::string_view title, const score_scope& scope) {
  std::string text = fmt::format("{:<24}  {:>21}  {:>6}  {:>6}  {:>14}  {:>21}  {:>11}\n", title, "slowdown", "5 %",
                                 "1 %", "within 0.9, %", "mean relative", "failed, %");
  for (const strategy_choices& strategy : report.strategies) {
    const auto score = score_of(report, strategy, scope);
    if (!score) continue;
    if (score->workloads == 0) {
      text += fmt::format("{:<24}  no choice was measured\n", strategy.name);
      continue;
    }
    text += fmt::format("{:<24}  {:>21}  {:>6.3f}  {:>6.3f}  {:>14}  {:>21}  {:>11.2f}\n", strategy.name,
                        decimal_text(score->slowdown), score->lowest_5_percent, score->lowest_1_percent,
                        percent_text(score->near_best), decimal_text(score->mean_relative), 100 * score->failed);
  }
  return text;
}

/// Returns whether some of the workloads are files and others are generated.
bool has_both_origins(const evaluation_report& report) {
  const auto generated = std::count_if(report.workloads.begin(), report.workloads.end(),
                                       [](const workload_example& workload) { return workload.is_generated; });
  return generated > 0 && static_cast<std::size_t>(generated) < report.workloads.size();
}

/// A column of the table of parts: an origin, a class or a range of sizes.
struct part {
  std::string title;
  score_scope scope;
};

std::vector<part> parts_of(const evaluation_report& report) {
  std::set<std::string> classes;
  std::set<std::size_t> sizes;
  for (std::size_t w = 0; w < report.workloads.size(); ++w) {
    classes.insert(report.workloads[w].workload_class);
    if (const auto size = size_class_of(report, w)) sizes.insert(*size);
  }
  std::vector<part> parts;
  if (has_both_origins(report)) parts = {{"files", {.is_generated = false}}, {"generated", {.is_generated = true}}};
  for (const std::string& name : classes) {
    if (name.empty()) continue;
    const auto reference = std::find_if(report.workloads.begin(), report.workloads.end(),
                                        [&](const workload_example& w) { return w.workload_class == name; });
    parts.push_back({name, {.workload_class = reference->workload_class}});
  }
  for (const std::size_t size : sizes) parts.push_back({std::string(size_classes()[size].name), {.size_class = size}});
  return parts;
}

/// Formats slowdown and share within 0.9 of each strategy by origin, by class and by number of edges.
std::string part_table(const evaluation_report& report) {
  const std::vector<part> parts = parts_of(report);
  if (parts.empty()) return "";
  std::string text = fmt::format("{:<24}", "slowdown, 0.9 in %");
  for (const part& column : parts) text += fmt::format("  {:>13}", column.title);
  text += fmt::format("\n{:<24}", "workloads");
  for (const part& column : parts) {
    const auto score = score_of(report, report.strategy(oracle_name), column.scope);
    text += fmt::format("  {:>13}", score ? score->workloads : 0);
  }
  text += '\n';
  for (const strategy_choices& strategy : report.strategies) {
    std::string line = fmt::format("{:<24}", strategy.name);
    bool has_score = false;
    for (const part& column : parts) {
      const auto score = score_of(report, strategy, column.scope);
      has_score = has_score || score;
      line += fmt::format("  {:>13}",
                          score && score->workloads > 0
                              ? fmt::format("{:.3f} {:>5.1f}", score->slowdown.value, 100 * score->near_best.value)
                              : "");
    }
    if (has_score) text += line + '\n';
  }
  return text;
}

/// Formats how the measured performance of a method's choices depends on the predicted one.
std::string calibration_table(const evaluation_report& report) {
  std::string text;
  for (const strategy_choices& strategy : report.strategies) {
    const std::vector<calibration_bin> bins = calibration_of(strategy);
    if (bins.empty()) continue;
    std::size_t choices = 0;
    for (const calibration_bin& bin : bins) choices += bin.choices;
    text += fmt::format("\n{:<20}  {:>9}  {:>9}  {:>9}  {:>14}  {:>10}\n", strategy.name + " predicts", "choices, %",
                        "predicted", "measured", "within 0.9, %", "below 0.5");
    for (const calibration_bin& bin : bins) {
      text += fmt::format("{:<20}  {:>9.1f}  {:>9.3f}  {:>9.3f}  {:>14.1f}  {:>10}\n",
                          fmt::format("{:.2f} to {:.2f}", bin.low, bin.high),
                          100 * static_cast<double>(bin.choices) / static_cast<double>(choices), bin.predicted,
                          bin.relative, 100 * bin.near_best, bin.poor);
    }
  }
  return text;
}

/// Explains the tables.
std::string legend(const evaluation_report& report) {
  std::set<std::string> groups;
  for (const workload_example& workload : report.workloads) groups.insert(workload.group);
  std::string text = fmt::format(
      "\n{} workloads in {} groups, {}-fold cross-validation over groups, {} {}; 95 % intervals by bootstrap over "
      "groups; {:.1f} candidates and {:.1f} workloads to learn from per fold.\n"
      "Relative performance: best time / time of the choice. Slowdown: its inverse, geometric mean; a failure counts "
      "as {}. 5 % and 1 %: quantiles of relative performance.\n",
      report.workloads.size(), groups.size(), report.folds, report.repeats,
      report.repeats == 1 ? "time" : "times with other folds", report.mean_candidates, report.mean_training_workloads,
      failure_slowdown);
  if (groups.size() < least_groups_to_evaluate)
    text += fmt::format(
        "Warning: {}; the intervals do not show how little they say.\n",
        too_few_to_judge(groups.size(), groups.size() == 1 ? "1 group" : fmt::format("{} groups", groups.size())));
  const auto has = [&](std::string_view name) {
    return std::any_of(report.strategies.begin(), report.strategies.end(),
                       [&](const strategy_choices& strategy) { return strategy.name.find(name) != std::string::npos; });
  };
  if (has("tried") || has(swept_query_name))
    text += "Tried, swept: candidates are timed on one query; the fastest is scored on the workload's other queries.\n";
  double races = 0;
  double queries = 0;
  for (const strategy_choices& strategy : report.strategies) {
    for (const auto& of_workload : strategy.workloads) {
      for (const held_out_choice& choice : of_workload) {
        races += choice.tried_queries > 0 ? 1 : 0;
        queries += static_cast<double>(choice.tried_queries);
      }
    }
  }
  if (races > 0)
    text += fmt::format(
        "N x Q queries: the {} N best-ranked candidates race on at most N x Q further queries, simulated from the "
        "variation on record; predictions are the prior, and the winner is used. A race takes {:.1f} queries on "
        "average.\n",
        race::entrants_per_try, queries / races);
  if (has(measured_oracle_name))
    text += fmt::format("{}: chooses by a second measurement, which is simulated from the recorded spread.\n",
                        measured_oracle_name);
  for (const strategy_choices& strategy : report.strategies) {
    const auto score = score_of(report, strategy);
    if (!score || score->unmeasured == 0) continue;
    text += fmt::format("{}: {:.1f} % of its choices were not measured on their workload; they are left out.\n",
                        strategy.name, 100 * score->unmeasured);
  }
  if (report.training_only > 0)
    text += fmt::format("Learned from, but not evaluated on: {} workloads of other groups.\n", report.training_only);
  if (report.unsolved > 0)
    text += fmt::format("Left out, because no candidate succeeded: {} workloads.\n", report.unsolved);
  for (const rule_record& used : report.rules) {
    if (used.off_record == 0) continue;
    text += fmt::format(
        "The {} name {} that are not on record for {} of {} choices; the nearest recorded ones replace these.\n",
        used.rule->name, used.rule->names, used.off_record, report.workloads.size() * report.repeats);
  }
  return text;
}

}  // namespace

std::string percent_text(const estimate& share) {
  return fmt::format("{:.1f} ({:.0f}–{:.0f})", 100 * share.value, 100 * share.low, 100 * share.high);
}

std::string decimal_text(const estimate& number) {
  return fmt::format("{:.3f} ({:.3f}–{:.3f})", number.value, number.low, number.high);
}

std::string to_table(const evaluation_report& report) {
  const bool has_queries =
      std::any_of(report.strategies.begin(), report.strategies.end(),
                  [](const strategy_choices& strategy) { return strategy.name == swept_query_name; });
  // Generated workloads say little about those of users.
  const std::optional<bool> is_generated = has_both_origins(report) ? std::optional(false) : std::nullopt;
  const std::string_view of_files = is_generated ? "files: " : "";
  std::string text = score_table(report, fmt::format("{}mean of queries", of_files), {.is_generated = is_generated});
  if (has_queries)
    text += '\n' + score_table(report, fmt::format("{}each query", of_files),
                               {.is_generated = is_generated, .on_each_query = true});
  if (const std::string parts = part_table(report); !parts.empty()) text += '\n' + parts;
  return text + calibration_table(report) + legend(report);
}

std::string to_csv(const evaluation_report& report) {
  std::string text = "workload,origin,group,class,repeat,fold,strategy,choice,relative,predicted\r\n";
  for (const strategy_choices& strategy : report.strategies) {
    for (std::size_t g = 0; g < report.workloads.size(); ++g) {
      const workload_example& workload = report.workloads[g];
      for (std::size_t repeat = 0; repeat < strategy.workloads[g].size(); ++repeat) {
        const held_out_choice& choice = strategy.workloads[g][repeat];
        text += fmt::format("{},{},{},{},{},{},{},{},{},{}\r\n", csv_field(workload.name),
                            workload.is_generated ? "generated" : "file", csv_field(workload.group),
                            csv_field(workload.workload_class), repeat, choice.fold, csv_field(strategy.name),
                            csv_field(choice.selected), choice.measured ? shortest_decimal(choice.relative) : "",
                            choice.predicted ? shortest_decimal(*choice.predicted) : "");
      }
    }
  }
  return text;
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
