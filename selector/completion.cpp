// SPDX-License-Identifier: Apache-2.0
#include "selector/completion.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "selector/cholesky.hpp"
#include "selector/runtime.hpp"

namespace mlmq::selector {
namespace {

constexpr std::size_t least_complete_workloads = 32;
constexpr std::size_t least_measured_candidates = 8;
/// Logarithm of a ratio beyond which candidates are equally bad.
const double largest_ratio = std::log(10.0);
// Of 46 candidates estimated from 32 others on 495 graphs, these constants had the smallest errors where a candidate is
// within 35 % of the best: 3 % in the median (docs/notebook/selector.md).
constexpr double feature_weight = 0.25;
constexpr double distance_per_deviation = 0.75;
constexpr double ridge = 0.03;

/// The times of a set: per workload, by candidate.
using times_by_candidate = std::map<std::size_t, const observation*>;

std::vector<times_by_candidate> times_of(const training_set& set) {
  std::vector<times_by_candidate> times(set.workloads.size());
  for (const observation& measured_time : set.observations)
    times[measured_time.workload].emplace(measured_time.candidate, &measured_time);
  return times;
}

double best_of(const times_by_candidate& times, const std::vector<std::size_t>& candidates) {
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t c : candidates) {
    const observation& measured_time = *times.at(c);
    if (measured_time.ok) best = std::min(best, measured_time.milliseconds);
  }
  return best;
}

double ratio_of(const observation& measured_time, double best) {
  return measured_time.ok ? std::min(std::log(measured_time.milliseconds / best), largest_ratio) : largest_ratio;
}

/// Features on a common scale: deviations from the mean of the complete workloads; 0 if unknown.
std::vector<std::vector<double>> scaled_features(const training_set& set, const std::vector<std::size_t>& complete) {
  std::vector<std::vector<double>> rows(set.workloads.size(), std::vector<double>(set.features.size(), 0.0));
  for (std::size_t f = 0; f < set.features.size(); ++f) {
    const auto position = [&](std::size_t w) {
      return double{runtime::position(static_cast<float>(set.workloads[w].features[f]))};
    };
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (const std::size_t w : complete) {
      if (std::isnan(set.workloads[w].features[f])) continue;
      sum += position(w);
      squares += position(w) * position(w);
      ++count;
    }
    if (count == 0) continue;
    const double deviation = std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
    if (!(deviation > 1e-6)) continue;
    for (std::size_t w = 0; w < rows.size(); ++w) {
      if (!std::isnan(set.workloads[w].features[f])) rows[w][f] = (position(w) - sum / count) / deviation;
    }
  }
  return rows;
}

/// Estimates candidates of workloads that were measured with the same other candidates.
class estimator {
 public:
  /// @param measured candidates that the workloads to estimate have
  /// @param missing candidates to estimate
  estimator(const std::vector<times_by_candidate>& times, const std::vector<std::vector<double>>& features,
            const std::vector<std::size_t>& complete, std::vector<std::size_t> measured,
            const std::vector<std::size_t>& missing)
      : features_(features), measured_(std::move(measured)) {
    std::vector<std::size_t> usable;
    for (const std::size_t w : complete) {
      if (!std::isfinite(best_of(times[w], measured_))) continue;
      usable.push_back(w);
      points_.push_back(place_of(times[w], w));
    }
    const std::size_t count = points_.size();
    std::vector<double> matrix(count * count, 0.0);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b <= a; ++b) matrix[a * count + b] = similarity(points_[a], points_[b]);
      matrix[a * count + a] += ridge;
    }
    decompose_cholesky(matrix, count);
    for (const std::size_t c : missing) {
      std::vector<double> ratios;
      double mean = 0;
      for (const std::size_t w : usable) {
        ratios.push_back(ratio_of(*times[w].at(c), best_of(times[w], measured_)));
        mean += ratios.back() / static_cast<double>(count);
      }
      for (double& ratio : ratios) ratio -= mean;
      solve_cholesky(matrix, count, ratios);
      means_.push_back(mean);
      weights_.push_back(std::move(ratios));
    }
  }

  /// Returns the logarithms of the ratios of the missing candidates to the best measured time.
  [[nodiscard]] std::vector<double> estimate(const times_by_candidate& times, std::size_t workload) const {
    const std::vector<double> place = place_of(times, workload);
    std::vector<double> similarities;
    for (const std::vector<double>& point : points_) similarities.push_back(similarity(place, point));
    std::vector<double> ratios = means_;
    for (std::size_t c = 0; c < ratios.size(); ++c) {
      for (std::size_t p = 0; p < similarities.size(); ++p) ratios[c] += weights_[c][p] * similarities[p];
    }
    return ratios;
  }

 private:
  [[nodiscard]] std::vector<double> place_of(const times_by_candidate& times, std::size_t workload) const {
    std::vector<double> place;
    const double best = best_of(times, measured_);
    for (const std::size_t c : measured_) place.push_back(ratio_of(*times.at(c), best));
    for (const double feature : features_[workload]) place.push_back(feature_weight * feature);
    return place;
  }

  static double similarity(const std::vector<double>& a, const std::vector<double>& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    const double distance = distance_per_deviation * std::sqrt(squares / static_cast<double>(a.size()));
    const double root = 1 / ((1 + distance / 4) * (1 + distance / 4));
    return root * root;
  }

  const std::vector<std::vector<double>>& features_;
  std::vector<std::size_t> measured_;
  std::vector<std::vector<double>> points_;   // of the complete workloads
  std::vector<double> means_;                 // per missing candidate
  std::vector<std::vector<double>> weights_;  // per missing candidate, of the points
};

}  // namespace

std::vector<std::size_t> complete_workloads(const training_set& set) {
  std::vector<std::size_t> counts(set.workloads.size(), 0);
  for (const observation& measured_time : set.observations) ++counts[measured_time.workload];
  std::vector<std::size_t> descending = counts;
  std::ranges::sort(descending, std::greater<>());
  const std::size_t least = std::max(least_complete_workloads, counts.size() / 10);
  const std::size_t needed = least < counts.size() ? descending[least - 1] : 0;
  std::vector<std::size_t> complete;
  for (std::size_t w = 0; w < counts.size(); ++w) {
    if (counts[w] >= needed) complete.push_back(w);
  }
  return complete;
}

training_set complete_missing_times(const training_set& unordered) {
  if (complete_workloads(unordered).size() == unordered.workloads.size()) return unordered;
  training_set set = in_canonical_order(unordered);  // so that sums do not depend on the order of the record
  const std::vector<std::size_t> complete = complete_workloads(set);
  {
    const std::vector<times_by_candidate> times = times_of(set);
    std::vector<std::size_t> common;
    for (std::size_t c = 0; c < set.candidates.size(); ++c) {
      if (std::ranges::all_of(complete, [&](std::size_t w) { return times[w].contains(c); })) common.push_back(c);
    }
    set = keep_candidates(set, common);
  }
  const std::vector<times_by_candidate> times = times_of(set);
  const std::vector<std::vector<double>> features = scaled_features(set, complete);

  std::map<std::vector<std::size_t>, std::vector<std::size_t>> workloads_by_measured;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    std::vector<std::size_t> measured;
    for (const auto& [candidate, measured_time] : times[w]) measured.push_back(candidate);
    if (measured.size() < set.candidates.size()) workloads_by_measured[std::move(measured)].push_back(w);
  }
  std::vector<bool> is_kept(set.workloads.size(), true);
  std::vector<observation> estimates;
  for (const auto& [measured, workloads] : workloads_by_measured) {
    std::vector<std::size_t> missing;
    for (std::size_t c = 0; c < set.candidates.size(); ++c) {
      if (!std::binary_search(measured.begin(), measured.end(), c)) missing.push_back(c);
    }
    std::optional<estimator> of_missing;
    if (measured.size() >= least_measured_candidates) of_missing.emplace(times, features, complete, measured, missing);
    for (const std::size_t w : workloads) {
      const double best = best_of(times[w], measured);
      is_kept[w] = of_missing && std::isfinite(best);
      if (!is_kept[w]) continue;
      const std::vector<double> ratios = of_missing->estimate(times[w], w);
      for (std::size_t i = 0; i < missing.size(); ++i) {
        const bool is_fast = ratios[i] < 0.98 * largest_ratio;
        estimates.push_back({.workload = w,
                             .candidate = missing[i],
                             .milliseconds = is_fast ? best * std::exp(ratios[i]) : 0,
                             .ok = is_fast});
      }
    }
  }
  set.observations.insert(set.observations.end(), estimates.begin(), estimates.end());
  std::vector<std::size_t> kept_workloads;
  for (std::size_t w = 0; w < is_kept.size(); ++w) {
    if (is_kept[w]) kept_workloads.push_back(w);
  }
  return in_canonical_order(keep_workloads(set, kept_workloads));
}

}  // namespace mlmq::selector
