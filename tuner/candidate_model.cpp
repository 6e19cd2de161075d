// SPDX-License-Identifier: Apache-2.0
#include "tuner/candidate_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mlmq::tuner {
namespace {

/// Observations that stay active when there are too many, and those that the scales are fitted to.
constexpr std::size_t kept_active = 160;
constexpr std::size_t most_fitted = 120;

constexpr double smallest_variance = 1e-10;

double matern(double squared_distance) {
  const double r = std::sqrt(5 * squared_distance);
  return (1 + r + r * r / 3) * std::exp(-r);
}

/// Returns the expected amount by which a normal variable is below `best`; 0 if it is above.
double expected_improvement(double best, double mean, double deviation) {
  const double z = (best - mean) / deviation;
  if (z < -6) return deviation * 1e-10 * std::exp(z);  // keeps the order of very small values
  const double density = 0.3989422804014327 * std::exp(-0.5 * z * z);
  const double probability = 0.5 * std::erfc(-z * 0.7071067811865475);
  return deviation * (z * probability + density);
}

/// Estimates the variance of the process from whitened targets, with a prior of two observations of variance 1.
double process_variance(double sum_of_squares, std::size_t count) {
  return (sum_of_squares + 2) / (static_cast<double>(count) + 2);
}

}  // namespace

candidate_model::candidate_model(candidate_points points)
    : points_(std::move(points)),
      inverse_squares_(points_.group_count, 1.0),
      explained_(size()),
      failure_weights_(size()),
      weights_(size()) {}

void candidate_model::append(std::span<const float> row) {
  points_.values.insert(points_.values.end(), row.begin(), row.end());
  failure_weights_.push_back(0);
  weights_.push_back(0);
  for (const observation& o : observed_) count_failure(size() - 1, o.candidate, false);
  for (const std::size_t tried : failed_) count_failure(size() - 1, tried, true);
  forget_predictions();
}

void candidate_model::forget_predictions() {
  factor_.clear();
  whitened_.clear();
  explained_.assign(size(), 0.0F);
}

double candidate_model::correlation(const float* a, const float* b) const {
  double sum = 0;
  for (std::size_t c = 0; c < points_.columns(); ++c) {
    const double d = static_cast<double>(a[c]) - static_cast<double>(b[c]);
    sum += d * d * inverse_squares_[points_.groups[c]];
  }
  return matern(sum);
}

void candidate_model::count_failure(std::size_t candidate, std::size_t tried, bool failed) {
  const float* const a = points_.row(candidate);
  const float* const b = points_.row(tried);
  float sum = 0;
  for (std::size_t c = 0; c < points_.columns(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  const float weight = std::exp(-8 * sum);
  weights_[candidate] += weight;
  if (failed) failure_weights_[candidate] += weight;
}

double candidate_model::failure_probability(std::size_t candidate) const {
  const double rate =
      static_cast<double>(failed_.size() + 1) / static_cast<double>(failed_.size() + observed_.size() + 10);
  return (static_cast<double>(failure_weights_[candidate]) + rate) / (static_cast<double>(weights_[candidate]) + 1);
}

void candidate_model::observe(std::size_t candidate, std::optional<double> logarithm) {
  if (logarithm) {
    observed_.push_back({candidate, *logarithm});
    active_.push_back(observed_.size() - 1);
  } else {
    failed_.push_back(candidate);
  }
  for (std::size_t i = 0; i < size(); ++i) count_failure(i, candidate, !logarithm);
}

std::vector<double> candidate_model::targets_of(std::span<const std::size_t> subset) const {
  std::vector<double> sorted;
  for (const observation& o : observed_) sorted.push_back(o.logarithm);
  std::ranges::sort(sorted);
  const double median = sorted[sorted.size() / 2];
  // Slow configurations need no accurate prediction.
  const double limit = median + (median - sorted.front());
  std::vector<double> targets;
  for (const std::size_t i : subset) targets.push_back(std::min(observed_[i].logarithm, limit));
  const auto count = static_cast<double>(targets.size());
  const double mean = std::accumulate(targets.begin(), targets.end(), 0.0) / count;
  double square = 0;
  for (const double t : targets) square += (t - mean) * (t - mean);
  const double deviation = std::max(std::sqrt(square / count), 1e-9);
  for (double& t : targets) t = (t - mean) / deviation;
  return targets;
}

std::vector<std::size_t> candidate_model::thinned(std::vector<std::size_t> subset, std::size_t count) const {
  if (subset.size() <= count) return subset;
  std::ranges::stable_sort(subset, {}, [&](std::size_t i) { return observed_[i].logarithm; });
  const std::size_t fastest = count / 2;
  std::vector<std::size_t> result(subset.begin(), subset.begin() + static_cast<std::ptrdiff_t>(fastest));
  for (std::size_t k = 0; k < fastest; ++k) result.push_back(subset[fastest + k * (subset.size() - fastest) / fastest]);
  std::ranges::sort(result);
  return result;
}

void candidate_model::choose_active() {
  if (active_.size() <= most_active) return;
  active_.resize(observed_.size());
  std::iota(active_.begin(), active_.end(), std::size_t{0});
  active_ = thinned(std::move(active_), kept_active);
  fitted_at_ = 0;
}

double candidate_model::log_posterior(std::span<const std::size_t> subset, std::span<const double> targets) const {
  const std::size_t n = subset.size();
  std::vector<double> factor(n * n);
  std::vector<double> whitened(targets.begin(), targets.end());
  double log_determinant = 0;
  double square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float* const point = points_.row(observed_[subset[i]].candidate);
    double* const row = &factor[i * n];
    for (std::size_t j = 0; j < i; ++j) {
      const double* const other = &factor[j * n];
      double sum = correlation(point, points_.row(observed_[subset[j]].candidate));
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum / other[j];
    }
    double diagonal = 1 + noise_;
    for (std::size_t k = 0; k < i; ++k) {
      diagonal -= row[k] * row[k];
      whitened[i] -= row[k] * whitened[k];
    }
    row[i] = std::sqrt(std::max(diagonal, smallest_variance));
    whitened[i] /= row[i];
    square += whitened[i] * whitened[i];
    log_determinant += std::log(row[i]);
  }
  // The variance of the process is integrated out.
  double result = -0.5 * (static_cast<double>(n) + 2) * std::log(process_variance(square, n)) - log_determinant;
  const auto add_prior = [&result](double logarithm, double centre, double deviation) {
    result -= 0.5 * (logarithm - centre) * (logarithm - centre) / (deviation * deviation);
  };
  // A length scale of 1 is the whole range of a parameter. A parameter without influence has a larger one.
  for (const double inverse : inverse_squares_) add_prior(-0.5 * std::log(inverse), 0.3, 1.2);
  add_prior(std::log(noise_), -5, 2);
  return result;
}

void candidate_model::fit_scales() {
  fitted_at_ = observed_.size();
  const std::vector<std::size_t> subset = thinned(active_, most_fitted);
  const std::vector<double> targets = targets_of(subset);
  double best = log_posterior(subset, targets);
  // Coordinate descent on the logarithms.
  for (const double step : {4.0, 4.0, 2.0}) {
    for (std::size_t group = 0; group <= inverse_squares_.size(); ++group) {
      const bool is_noise = group == inverse_squares_.size();
      double& variable = is_noise ? noise_ : inverse_squares_[group];
      for (const double factor : {step, 1 / step}) {
        const double before = variable;
        variable = is_noise ? std::clamp(before * factor, 1e-5, 0.5) : std::clamp(before * factor, 1e-3, 400.0);
        const double density = log_posterior(subset, targets);
        if (density > best) {
          best = density;
          break;
        }
        variable = before;
      }
    }
  }
  forget_predictions();
}

void candidate_model::add_to_factor(std::size_t active) {
  const float* const point = points_.row(observed_[active_[active]].candidate);
  std::vector<double> row(active + 1);
  double diagonal = 1 + noise_;
  for (std::size_t j = 0; j < active; ++j) {
    row[j] = correlation(point, points_.row(observed_[active_[j]].candidate));
    for (std::size_t k = 0; k < j; ++k) row[j] -= row[k] * factor_[j][k];
    row[j] /= factor_[j][j];
    diagonal -= row[j] * row[j];
  }
  row[active] = std::sqrt(std::max(diagonal, smallest_variance));
  std::vector<float> whitened(size());
  for (std::size_t i = 0; i < size(); ++i) whitened[i] = static_cast<float>(correlation(point, points_.row(i)));
  for (std::size_t j = 0; j < active; ++j) {
    const auto weight = static_cast<float>(row[j]);
    const float* const other = whitened_[j].data();
    for (std::size_t i = 0; i < whitened.size(); ++i) whitened[i] -= weight * other[i];
  }
  const auto inverse = static_cast<float>(1 / row[active]);
  for (std::size_t i = 0; i < whitened.size(); ++i) {
    whitened[i] *= inverse;
    explained_[i] += whitened[i] * whitened[i];
  }
  factor_.push_back(std::move(row));
  whitened_.push_back(std::move(whitened));
}

std::vector<double> candidate_model::improvements() {
  choose_active();
  if (observed_.size() > fitted_at_ + fitted_at_ / 2 && observed_.size() >= 4) fit_scales();
  while (factor_.size() < active_.size()) add_to_factor(factor_.size());

  std::vector<double> whitened_targets = targets_of(active_);
  const double best = *std::ranges::min_element(whitened_targets);
  double square = 0;
  for (std::size_t i = 0; i < whitened_targets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) whitened_targets[i] -= factor_[i][j] * whitened_targets[j];
    whitened_targets[i] /= factor_[i][i];
    square += whitened_targets[i] * whitened_targets[i];
  }
  const double variance = process_variance(square, whitened_targets.size());
  std::vector<float> means(size());
  for (std::size_t j = 0; j < factor_.size(); ++j) {
    const auto weight = static_cast<float>(whitened_targets[j]);
    const float* const row = whitened_[j].data();
    for (std::size_t i = 0; i < means.size(); ++i) means[i] += weight * row[i];
  }
  std::vector<double> result(size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double unexplained = std::max(1.0 - static_cast<double>(explained_[i]), 0.0);
    const double deviation = std::sqrt(variance * (unexplained + noise_));
    const double success = std::max(0.02, 1 - failure_probability(i));
    result[i] = success * expected_improvement(best, static_cast<double>(means[i]), deviation);
  }
  return result;
}

}  // namespace mlmq::tuner
