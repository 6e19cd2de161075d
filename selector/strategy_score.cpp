// SPDX-License-Identifier: Apache-2.0
#include "selector/strategy_score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "selector/random.hpp"

namespace mlmq::selector {
namespace {

constexpr double near_best_threshold = 0.9;
constexpr double poor_threshold = 0.5;
constexpr std::size_t bootstrap_samples = 2000;

/// Sums over choices of one workload or of several, each workload with the weight 1.
struct sums {
  double near_best = 0;
  double relative = 0;
  double logarithm = 0;  ///< of the slowdown
  double failed = 0;
  double weight = 0;

  void add(double relative_performance, double share) {
    near_best += relative_performance >= near_best_threshold ? share : 0;
    relative += share * relative_performance;
    logarithm -= share * std::log(relative_performance > 0 ? relative_performance : 1 / failure_slowdown);
    failed += relative_performance > 0 ? 0 : share;
    weight += share;
  }

  sums& operator+=(const sums& other) {
    near_best += other.near_best;
    relative += other.relative;
    logarithm += other.logarithm;
    failed += other.failed;
    weight += other.weight;
    return *this;
  }
};

/// Returns the value with the 2.5 % and 97.5 % quantiles of the bootstrap values as its interval.
estimate with_interval(double value, std::vector<double> sampled) {
  std::sort(sampled.begin(), sampled.end());
  const std::size_t tail = sampled.size() / 40;
  return {value, sampled[tail], sampled[sampled.size() - 1 - tail]};
}

/// Returns the relative performances of a choice in a scope.
std::vector<double> performances(const held_out_choice& choice, bool on_each_query) {
  if (on_each_query) return choice.query_relative;
  return {choice.relative};
}

/// A relative performance, and its share of the workload's weight.
struct weighted_value {
  double value = 0;
  double weight = 0;
};

/// Returns the largest value below which at most `share` of the weight lies. @param ascending not empty
double quantile(const std::vector<weighted_value>& ascending, double share) {
  double total = 0;
  for (const weighted_value& entry : ascending) total += entry.weight;
  double so_far = 0;
  for (const weighted_value& entry : ascending) {
    so_far += entry.weight;
    if (so_far > share * total) return entry.value;
  }
  return ascending.back().value;
}

bool is_in(const evaluation_report& report, std::size_t workload, const score_scope& scope) {
  if (!scope.workload_class.empty() && report.workloads[workload].workload_class != scope.workload_class) return false;
  if (scope.is_generated && report.workloads[workload].is_generated != *scope.is_generated) return false;
  return !scope.size_class || size_class_of(report, workload) == scope.size_class;
}

}  // namespace

std::vector<size_class> size_classes() {
  return {{"< 2^16", 0x1p16},
          {"2^16 to 2^18", 0x1p18},
          {"2^18 to 2^20", 0x1p20},
          {"2^20 to 2^22", 0x1p22},
          {">= 2^22", std::numeric_limits<double>::infinity()}};
}

std::optional<std::size_t> size_class_of(const evaluation_report& report, std::size_t workload) {
  const auto feature = std::find(report.features.begin(), report.features.end(), "nnz");
  if (feature == report.features.end()) return std::nullopt;
  const double edges = report.workloads[workload].features[static_cast<std::size_t>(feature - report.features.begin())];
  const std::vector<size_class> classes = size_classes();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (edges < classes[i].below) return i;
  }
  return std::nullopt;  // unknown
}

std::optional<strategy_score> score_of(const evaluation_report& report, const strategy_choices& strategy,
                                       const score_scope& scope) {
  std::map<std::string, sums> by_group;
  std::vector<weighted_value> values;
  strategy_score result;
  double choices = 0;
  double unmeasured = 0;
  for (std::size_t w = 0; w < report.workloads.size(); ++w) {
    if (!is_in(report, w, scope)) continue;
    std::vector<double> of_workload;
    for (const held_out_choice& choice : strategy.workloads[w]) {
      ++choices;
      if (!choice.measured) {
        ++unmeasured;
        continue;
      }
      const std::vector<double> scored = performances(choice, scope.on_each_query);
      of_workload.insert(of_workload.end(), scored.begin(), scored.end());
    }
    if (of_workload.empty()) continue;
    ++result.workloads;
    const double share = 1 / static_cast<double>(of_workload.size());
    sums& group = by_group[report.workloads[w].group];
    for (const double value : of_workload) {
      group.add(value, share);
      values.push_back({value, share});
    }
  }
  if (unmeasured > 0) result.unmeasured = unmeasured / choices;
  if (values.empty()) return unmeasured > 0 ? std::optional(result) : std::nullopt;
  std::sort(values.begin(), values.end(),
            [](const weighted_value& a, const weighted_value& b) { return a.value < b.value; });
  std::vector<const sums*> groups;
  sums total;
  for (const auto& [name, group] : by_group) {
    groups.push_back(&group);
    total += group;
  }
  portable_random random(1);
  std::vector<double> near_best;
  std::vector<double> relative;
  std::vector<double> slowdown;
  for (std::size_t sample = 0; sample < bootstrap_samples; ++sample) {
    sums drawn;
    for (std::size_t i = 0; i < groups.size(); ++i) drawn += *groups[random.below(groups.size())];
    near_best.push_back(drawn.near_best / drawn.weight);
    relative.push_back(drawn.relative / drawn.weight);
    slowdown.push_back(std::exp(drawn.logarithm / drawn.weight));
  }
  result.near_best = with_interval(total.near_best / total.weight, std::move(near_best));
  result.mean_relative = with_interval(total.relative / total.weight, std::move(relative));
  result.slowdown = with_interval(std::exp(total.logarithm / total.weight), std::move(slowdown));
  result.failed = total.failed / total.weight;
  result.lowest_5_percent = quantile(values, 0.05);
  result.lowest_1_percent = quantile(values, 0.01);
  result.worst = values.front().value;
  return result;
}

std::vector<calibration_bin> calibration_of(const strategy_choices& strategy) {
  constexpr std::array edges{0.0, 0.85, 0.9, 0.94, 0.98};
  std::vector<calibration_bin> bins;
  for (std::size_t i = 0; i < edges.size(); ++i)
    bins.push_back({.low = edges[i], .high = i + 1 < edges.size() ? edges[i + 1] : 1});
  for (const std::vector<held_out_choice>& repeats : strategy.workloads) {
    for (const held_out_choice& choice : repeats) {
      if (!choice.predicted || !choice.measured) continue;
      std::size_t place = 0;
      while (place + 1 < bins.size() && *choice.predicted >= bins[place].high) ++place;
      calibration_bin& bin = bins[place];
      ++bin.choices;
      bin.predicted += *choice.predicted;
      bin.relative += choice.relative;
      bin.near_best += choice.relative >= near_best_threshold ? 1 : 0;
      bin.poor += choice.relative < poor_threshold ? 1 : 0;
    }
  }
  std::erase_if(bins, [](const calibration_bin& bin) { return bin.choices == 0; });
  for (calibration_bin& bin : bins) {
    const auto count = static_cast<double>(bin.choices);
    bin.predicted /= count;
    bin.relative /= count;
    bin.near_best /= count;
  }
  return bins;
}

}  // namespace mlmq::selector
