// SPDX-License-Identifier: Apache-2.0
#include "selector/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

constexpr double near_best_threshold = 0.9;

/// Largest gain that counts as rounding.
constexpr double negligible = 1e-12;

std::vector<double> sums_of_relative(const performance_matrix& performance) {
  std::vector<double> sums(performance.candidates(), 0.0);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    for (std::size_t g = 0; g < performance.workloads(); ++g) sums[c] += performance.relative(g, c);
  }
  return sums;
}

std::vector<std::size_t> solved_workloads(const performance_matrix& performance) {
  std::vector<std::size_t> solved;
  for (std::size_t g = 0; g < performance.workloads(); ++g) {
    if (performance.solved(g)) solved.push_back(g);
  }
  return solved;
}

candidate_step describe(std::size_t candidate, const std::vector<double>& best, double enough) {
  candidate_step step;
  step.candidate = candidate;
  step.worst = 1;
  const auto count = static_cast<double>(best.size());
  for (const double value : best) {
    step.within += (value >= enough ? 1.0 : 0.0) / count;
    step.near_best += (value >= near_best_threshold ? 1.0 : 0.0) / count;
    step.mean_relative += value / count;
    step.worst = std::min(step.worst, value);
  }
  return step;
}

double capped_performance(const performance_matrix& performance, std::size_t workload,
                          const std::vector<std::size_t>& candidates, double enough) {
  double best = 0;
  for (const std::size_t c : candidates) best = std::max(best, performance.relative(workload, c));
  return std::min(best, enough);
}

}  // namespace

std::vector<candidate_step> candidate_steps(const performance_matrix& performance, double tolerance, std::size_t most) {
  if (!(tolerance >= 0 && std::isfinite(tolerance)))
    throw input_error(
        fmt::format("tolerance: {}, expected a number from 0; 0.05 means within 5 % of the best", tolerance));
  const std::vector<std::size_t> workloads = solved_workloads(performance);
  if (workloads.empty()) throw input_error("no candidate solved any workload, so the candidates cannot be reduced");

  const std::vector<double> sums = sums_of_relative(performance);
  const double enough = 1.0 / (1.0 + tolerance);
  std::vector<double> best(workloads.size(), 0.0);
  std::vector<candidate_step> steps;
  while (most == 0 || steps.size() < most) {
    std::size_t chosen = 0;
    std::pair<double, double> chosen_gain{negligible, 0.0};
    for (std::size_t c = 0; c < performance.candidates(); ++c) {
      double gain = 0;
      for (std::size_t i = 0; i < workloads.size(); ++i) {
        const double current = std::min(best[i], enough);
        gain += std::max(0.0, std::min(performance.relative(workloads[i], c), enough) - current);
      }
      // Gains that are equal up to rounding count as equal.
      const bool clearly = gain > chosen_gain.first + negligible;
      if (clearly || (gain > chosen_gain.first - negligible && gain > negligible && sums[c] > chosen_gain.second)) {
        chosen = c;
        chosen_gain = {gain, sums[c]};
      }
    }
    if (chosen_gain.first <= negligible) break;
    for (std::size_t i = 0; i < workloads.size(); ++i)
      best[i] = std::max(best[i], performance.relative(workloads[i], chosen));
    steps.push_back(describe(chosen, best, enough));
  }
  return steps;
}

std::vector<std::size_t> covering_candidates(const performance_matrix& performance, double tolerance,
                                             std::size_t most) {
  std::vector<std::size_t> chosen;
  for (const candidate_step& step : candidate_steps(performance, tolerance, most)) chosen.push_back(step.candidate);
  const double enough = 1.0 / (1.0 + tolerance);
  const std::vector<std::size_t> covering = chosen;
  for (const std::size_t candidate : covering) {
    if (chosen.size() == 1) break;
    std::vector<std::size_t> others = chosen;
    std::erase(others, candidate);
    bool needed = false;
    for (std::size_t g = 0; g < performance.workloads() && !needed; ++g)
      needed =
          capped_performance(performance, g, others, enough) < capped_performance(performance, g, covering, enough);
    if (!needed) chosen = others;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::string to_table(const std::vector<candidate_step>& steps, const training_set& set, double tolerance) {
  std::string text =
      fmt::format("{:>10}  {:>12}  {:>10}  {:>13}  {:>6}  {}\n", "candidates",
                  fmt::format("within {:g} %", 100 * tolerance), "within 0.9", "mean relative", "worst", "added");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += fmt::format("{:>10}  {:>11.1f}%  {:>9.1f}%  {:>13.4f}  {:>6.3f}  {}\n", i + 1, 100 * steps[i].within,
                        100 * steps[i].near_best, steps[i].mean_relative, steps[i].worst,
                        set.candidates.at(steps[i].candidate).label);
  }
  return text;
}

}  // namespace mlmq::selector
