// SPDX-License-Identifier: Apache-2.0
#include "selector/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

constexpr double near_best_threshold = 0.9;

/// Largest gain that counts as rounding.
constexpr double negligible = 1e-12;
/// Largest relative difference of gains that are ties.
constexpr double tied_gains = 1e-3;

std::vector<double> sums_of_relative(const performance_matrix& performance) {
  std::vector<double> sums(performance.candidates(), 0.0);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    for (std::size_t g = 0; g < performance.workloads(); ++g) sums[c] += performance.relative(g, c);
  }
  return sums;
}

/// Returns the mean spread of each candidate beyond that of a steady one.
std::vector<double> unsteadiness_of(const training_set& set) {
  std::vector<double> sums(set.candidates.size(), 0.0);
  std::vector<double> counts(set.candidates.size(), 0.0);
  for (const observation& seen : set.observations) {
    if (!seen.ok) continue;
    sums[seen.candidate] += std::max(0.0, seen.spread - steady_spread);
    ++counts[seen.candidate];
  }
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] /= std::max(1.0, counts[c]);
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

double typical_spread(const training_set& set, const performance_matrix& measured, std::size_t candidate) {
  std::vector<double> spreads;
  for (const observation& seen : set.observations) {
    if (seen.candidate == candidate && measured.relative(seen.workload, candidate) >= near_best_threshold)
      spreads.push_back(seen.spread);
  }
  if (spreads.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = spreads.begin() + static_cast<std::ptrdiff_t>(spreads.size() / 2);
  std::nth_element(spreads.begin(), middle, spreads.end());
  return *middle;
}

double capped_performance(const performance_matrix& performance, std::size_t workload,
                          const std::vector<std::size_t>& candidates, double enough) {
  double best = 0;
  for (const std::size_t c : candidates) best = std::max(best, performance.relative(workload, c));
  return std::min(best, enough);
}

}  // namespace

std::vector<candidate_step> candidate_steps(const training_set& set, double tolerance, std::size_t most) {
  if (!(tolerance >= 0 && std::isfinite(tolerance)))
    throw input_error(
        fmt::format("tolerance: {}, expected a number from 0; 0.05 means within 5 % of the best", tolerance));
  const performance_matrix performance(set);
  const std::vector<std::size_t> workloads = solved_workloads(performance);
  if (workloads.empty()) throw input_error("no candidate solved any workload, so the candidates cannot be reduced");

  const std::vector<double> sums = sums_of_relative(performance);
  const std::vector<double> unsteadiness = unsteadiness_of(set);
  const double enough = 1.0 / (1.0 + tolerance);
  std::vector<double> best(workloads.size(), 0.0);
  std::vector<candidate_step> steps;
  while (most == 0 || steps.size() < most) {
    std::vector<double> gains(performance.candidates(), 0.0);
    for (std::size_t c = 0; c < gains.size(); ++c) {
      for (std::size_t i = 0; i < workloads.size(); ++i) {
        const double current = std::min(best[i], enough);
        gains[c] += std::max(0.0, std::min(performance.relative(workloads[i], c), enough) - current);
      }
    }
    const double most_gain = std::ranges::max(gains);
    if (most_gain <= negligible) break;
    std::optional<std::size_t> steadiest;
    const auto is_preferred = [&](std::size_t c) {
      if (!steadiest) return true;
      if (unsteadiness[c] != unsteadiness[*steadiest]) return unsteadiness[c] < unsteadiness[*steadiest];
      // Gains and sums that are equal up to rounding count as equal.
      return sums[c] > sums[*steadiest] + negligible;
    };
    for (std::size_t c = 0; c < gains.size(); ++c) {
      if (gains[c] >= (1 - tied_gains) * most_gain - negligible && gains[c] > negligible && is_preferred(c))
        steadiest = c;
    }
    const std::size_t chosen = *steadiest;
    for (std::size_t i = 0; i < workloads.size(); ++i)
      best[i] = std::max(best[i], performance.relative(workloads[i], chosen));
    steps.push_back(describe(chosen, best, enough));
    steps.back().spread = typical_spread(set, performance, chosen);
  }
  return steps;
}

std::vector<std::size_t> covering_candidates(const training_set& set, double tolerance, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (const candidate_step& step : candidate_steps(set, tolerance, most)) chosen.push_back(step.candidate);
  const performance_matrix performance(set);
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
  std::string text = fmt::format("{:>10}  {:>12}  {:>10}  {:>13}  {:>6}  {:>6}  {}\n", "candidates",
                                 fmt::format("within {:g} %", 100 * tolerance), "within 0.9", "mean relative", "worst",
                                 "spread", "added");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string spread = std::isnan(steps[i].spread) ? "-" : fmt::format("{:.1f}%", 100 * steps[i].spread);
    text += fmt::format("{:>10}  {:>11.1f}%  {:>9.1f}%  {:>13.4f}  {:>6.3f}  {:>6}  {}\n", i + 1, 100 * steps[i].within,
                        100 * steps[i].near_best, steps[i].mean_relative, steps[i].worst, spread,
                        set.candidates.at(steps[i].candidate).label);
  }
  return text;
}

}  // namespace mlmq::selector
