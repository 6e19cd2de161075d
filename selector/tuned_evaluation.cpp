// SPDX-License-Identifier: Apache-2.0
#include "selector/tuned_evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "selector/evaluate.hpp"

namespace mlmq::selector {
namespace {

constexpr double near_best_threshold = 0.9;

}  // namespace

strategy_evaluation evaluate_strategy(const std::string& name, const performance_matrix& performance,
                                      const held_out_choices& choices) {
  strategy_evaluation result{.name = name, .mean_relative = 0, .near_best = 0, .worst = 1, .choices = choices};
  const double share = 1.0 / static_cast<double>(choices.size());
  for (std::size_t w = 0; w < choices.size(); ++w) {
    double sum = 0;
    for (const std::size_t candidate : choices[w]) sum += performance.relative(w, candidate);
    const double relative = sum / static_cast<double>(choices[w].size());
    result.relative.push_back(relative);
    result.mean_relative += share * relative;
    result.near_best += relative >= near_best_threshold ? share : 0;
    result.worst = std::min(result.worst, relative);
  }
  return result;
}

std::optional<tuned_evaluation> evaluate_tuned(const tuned_learner& learner, std::size_t folds, std::size_t repeats,
                                               std::uint64_t seed) {
  const std::vector<workload_example>& workloads = learner.own_set().workloads;
  std::set<std::string_view> groups;
  for (const workload_example& workload : workloads) groups.insert(workload.group);
  if (groups.size() < least_groups_to_evaluate) return std::nullopt;
  tuned_evaluation result{.learned = held_out_choices(workloads.size()), .fixed = held_out_choices(workloads.size())};
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<std::size_t> fold_of = assign_folds(workloads, folds, seed + repeat);
    for (std::size_t fold = 0; fold <= *std::max_element(fold_of.begin(), fold_of.end()); ++fold) {
      std::vector<std::size_t> training_workloads;
      for (std::size_t w = 0; w < workloads.size(); ++w) {
        if (fold_of[w] != fold) training_workloads.push_back(w);
      }
      const tuned_fit fit = learner.learn(training_workloads);
      const std::size_t fixed = learner.best_fixed(training_workloads);
      for (std::size_t w = 0; w < workloads.size(); ++w) {
        if (fold_of[w] != fold) continue;
        result.learned[w].push_back(learner.choose(fit, w));
        result.fixed[w].push_back(fixed);
      }
    }
  }
  return result;
}

std::string too_few_to_judge(std::size_t count, std::string_view groups) {
  return fmt::format("{} {} too few to judge a selector; give {} or more", groups, count == 1 ? "is" : "are",
                     least_groups_to_evaluate);
}

}  // namespace mlmq::selector
