// SPDX-License-Identifier: Apache-2.0
#include "selector/time_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "selector/cholesky.hpp"
#include "selector/evaluate.hpp"

namespace mlmq::selector {
namespace {

/// Minimum number of workloads to which times are fitted.
constexpr std::size_t least_workloads = 10;

/// Ridge penalties of the weights of features and of landmarks (chosen in docs/notebook/selector.md).
constexpr double linear_ridge = 1;
constexpr double landmark_ridge = 0.03;
/// Number of landmarks that are added before the errors are updated.
constexpr std::size_t landmarks_at_once = 4;

/// Unused features: the size of weights does not change the work, because bucket widths are multiples of their average.
constexpr std::array<std::string_view, 8> sizes_of_weights{"avg_weight", "dev_weight",      "max_weight",
                                                           "weight_p10", "weight_p50",      "weight_p90",
                                                           "weight_p99", "weight_to_degree"};

/// Approximates log2 of a positive number from the bits of the float; runtime::power() is the inverse.
float logarithm(double number) {
  return static_cast<float>(std::bit_cast<std::int32_t>(static_cast<float>(number))) * 0x1p-23F - 127.0F;
}

std::vector<float> place_of(const time_fit& fit, std::span<const float> values) {
  std::vector<float> place;
  for (const runtime::time_axis& axis : fit.axes) place.push_back(runtime::place_on(axis, values[axis.value]));
  return place;
}

/// A workload with its time.
struct sample {
  std::vector<float> values;
  double items = 0;
  double milliseconds = 0;
};

/// Adds the axis of one feature, with the range of the samples. Skips a constant feature.
void add_axis(time_fit& fit, std::span<const sample> samples, std::size_t feature) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  float least = std::numeric_limits<float>::infinity();
  float most = -least;
  for (const sample& sample : samples) {
    if (std::isnan(sample.values[feature])) continue;
    const float position = runtime::position(sample.values[feature]);
    sum += double{position};
    squares += double{position} * double{position};
    ++count;
    least = std::min(least, position);
    most = std::max(most, position);
  }
  if (count == 0) return;
  const double centre = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - centre * centre));
  if (!(deviation > 1e-3)) return;
  runtime::time_axis axis{feature, static_cast<float>(centre), static_cast<float>(1 / deviation), 0, 0};
  axis.low = (least - axis.centre) * axis.scale;
  axis.high = (most - axis.centre) * axis.scale;
  fit.axes.push_back(axis);
}

/// Ridge regression to which columns can be added.
class regression_sums {
 public:
  /// Adds the last of `columns`; the others must have been added before.
  void add_column(const std::vector<std::vector<double>>& columns, const std::vector<double>& targets) {
    const std::vector<double>& fresh = columns.back();
    std::vector<double>& row = products_.emplace_back();
    for (const std::vector<double>& other : columns) row.push_back(product(fresh, other));
    right_.push_back(product(fresh, targets));
  }

  /// @param first columns before this one are not penalised
  [[nodiscard]] std::vector<double> weights(double ridge, std::size_t first) const {
    const std::size_t size = products_.size();
    std::vector<double> matrix(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[i * size + j] = products_[i][j];
      if (i >= first) matrix[i * size + i] += ridge;
    }
    std::vector<double> solution = right_;
    decompose_cholesky(matrix, solution.size());
    solve_cholesky(matrix, solution.size(), solution);
    return solution;
  }

 private:
  static double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  std::vector<std::vector<double>> products_;  ///< the lower triangle
  std::vector<double> right_;
};

/// The terms of a fit, and the residuals of the recorded times.
class term_fit {
 public:
  term_fit(std::span<const sample> samples, const std::vector<std::vector<float>>& positions) {
    for (const sample& sample : samples) {
      rest_.push_back(double{logarithm(sample.milliseconds / sample.items)});
      least_items = std::min(least_items, static_cast<float>(sample.items));
    }
    least = static_cast<float>(*std::min_element(rest_.begin(), rest_.end()));
    most = static_cast<float>(*std::max_element(rest_.begin(), rest_.end()));
    regression_sums sums;
    std::vector<std::vector<double>> columns{std::vector<double>(rest_.size(), 1.0)};
    sums.add_column(columns, rest_);
    for (std::size_t f = 0; f < positions.front().size(); ++f) {
      columns.emplace_back();
      for (const std::vector<float>& position : positions) columns.back().push_back(double{position[f]});
      sums.add_column(columns, rest_);
    }
    linear = sums.weights(linear_ridge, 1);
    subtract(columns, linear);
    deviation_ = rest_;
  }

  /// Returns the sample with the largest error among the available ones; empty if there is none.
  [[nodiscard]] std::optional<std::size_t> worst(const std::vector<bool>& is_available) const {
    std::optional<std::size_t> worst_sample;
    double most_error = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (!is_available[i] || std::abs(rest_[i]) <= most_error) continue;
      most_error = std::abs(rest_[i]);
      worst_sample = i;
    }
    return worst_sample;
  }

  /// @param similarities similarity of every sample to the landmark
  void add_landmark(const std::vector<float>& similarities) {
    landmarks_.emplace_back(similarities.begin(), similarities.end());
    sums_.add_column(landmarks_, deviation_);
  }

  void fit_landmarks() {
    deviating = sums_.weights(landmark_ridge, 0);
    rest_ = deviation_;
    subtract(landmarks_, deviating);
  }

  std::vector<double> linear;     ///< weights of the constant and of each feature
  std::vector<double> deviating;  ///< weights of the landmarks
  float least = 0;
  float most = 0;
  float least_items = std::numeric_limits<float>::infinity();

 private:
  void subtract(const std::vector<std::vector<double>>& columns, const std::vector<double>& weights) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t i = 0; i < rest_.size(); ++i) rest_[i] -= weights[c] * columns[c][i];
    }
  }

  std::vector<double> rest_;
  std::vector<double> deviation_;  ///< residuals of the linear terms
  std::vector<std::vector<double>> landmarks_;
  regression_sums sums_;
};

float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t f = 0; f < a.size(); ++f) sum += std::abs(a[f] - b[f]);
  return sum;
}

/// Sets landmarks at the samples with the largest errors. @return the landmarks' samples
std::vector<std::size_t> set_landmarks(term_fit& terms, const std::vector<std::vector<float>>& positions,
                                       std::size_t count) {
  std::vector<bool> is_available(positions.size(), true);
  std::vector<std::size_t> landmarks;
  for (std::size_t turn = 0; turn < count; ++turn) {
    const auto next = terms.worst(is_available);
    if (!next) break;
    landmarks.push_back(*next);
    std::vector<float> similarities;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const float gap = distance(positions[i], positions[*next]);
      similarities.push_back(runtime::similarity(gap * runtime::landmark_scale));
      if (gap == 0) is_available[i] = false;  // the same workload from another vertex is at the same place
    }
    terms.add_landmark(similarities);
    if (landmarks.size() % landmarks_at_once == 0) terms.fit_landmarks();
  }
  if (!landmarks.empty()) terms.fit_landmarks();
  return landmarks;
}

time_fit fit_samples(std::span<const sample> samples, std::size_t values, std::size_t landmark_limit) {
  time_fit fit;
  for (std::size_t f = 0; f < values; ++f) add_axis(fit, samples, f);
  std::vector<std::vector<float>> positions;
  for (const sample& sample : samples) positions.push_back(place_of(fit, sample.values));
  term_fit terms(samples, positions);
  std::vector<std::size_t> landmarks;
  if (!fit.axes.empty()) landmarks = set_landmarks(terms, positions, std::min(landmark_limit, samples.size() / 2));
  for (std::size_t f = 0; f < fit.axes.size(); ++f) {
    for (const std::size_t landmark : landmarks) fit.landmarks.push_back(positions[landmark][f]);
  }
  for (const std::vector<double>* weights : {&terms.linear, &terms.deviating}) {
    for (const double weight : *weights) fit.weights.push_back(static_cast<float>(weight));
  }
  fit.least = terms.least;
  fit.most = terms.most;
  fit.least_items = terms.least_items;
  return fit;
}

void check_fit(const time_fit& fit, std::size_t values) {
  const std::size_t used = fit.axes.size();
  bool fits = fit.landmark_count() <= runtime::most_landmarks && fit.landmarks.size() == used * fit.landmark_count() &&
              fit.weights.size() == 1 + used + fit.landmark_count();
  bool is_finite = std::isfinite(fit.least_items);
  for (const runtime::time_axis& axis : fit.axes) {
    fits = fits && axis.value < values;
    for (const float number : {axis.centre, axis.scale, axis.low, axis.high})
      is_finite = is_finite && std::isfinite(number);
  }
  if (!fits) throw input_error("selector model: the sizes of the arrays of its expected times are inconsistent");
  for (const std::vector<float>* numbers : {&fit.landmarks, &fit.weights})
    is_finite =
        is_finite && std::all_of(numbers->begin(), numbers->end(), [](float number) { return std::isfinite(number); });
  if (!is_finite) throw input_error("selector model: a number of its expected times is not finite");
  // The logarithms must be in the range of float exponents.
  if (!(fit.least <= fit.most && fit.least > -126 && fit.most < 127))
    throw input_error("selector model: the range of its expected times is empty or too large");
}

}  // namespace

runtime::time_fit time_fit::view(std::span<const runtime::time_axis> placed) const {
  return {.axis_count = placed.size(),
          .axes = placed.data(),
          .landmark_count = landmark_count(),
          .landmarks = landmarks.data(),
          .weights = weights.data(),
          .least = least,
          .most = most,
          .least_items = least_items};
}

std::optional<time_model> fit_times(const training_set& set, std::span<const std::string> names,
                                    const std::string& problem) {
  time_model result;
  result.problem = problem;
  for (const std::string& name : names) {
    if (std::find(sizes_of_weights.begin(), sizes_of_weights.end(), name) == sizes_of_weights.end())
      result.features.push_back(name);
  }
  const std::array<std::string, 2> size_names{"m", "nnz"};
  std::vector<sample> by_size;
  std::vector<sample> by_features;
  const training_set ordered = in_canonical_order(set);
  const performance_matrix performance(ordered);
  for (std::size_t g = 0; g < ordered.workloads.size(); ++g) {
    if (!performance.solved(g)) continue;
    const feature_values& recorded = ordered.workloads[g].features;
    const feature_values size = pick_features(size_names, ordered.features, recorded);
    if (!(size[0] > 0 && size[1] >= 0)) continue;  // of unknown size
    const feature_values values = pick_features(result.features, ordered.features, recorded);
    const double milliseconds = performance.best_milliseconds(g);
    by_size.push_back({{size.begin(), size.end()}, size[0] + size[1], milliseconds});
    by_features.push_back({{values.begin(), values.end()}, size[0] + size[1], milliseconds});
  }
  if (by_size.size() < least_workloads) return std::nullopt;
  result.by_size = fit_samples(by_size, size_names.size(), 0);
  result.by_features = fit_samples(by_features, result.features.size(), runtime::most_landmarks);
  return result;
}

std::optional<time_errors> cross_validate_times(const training_set& set, std::size_t folds, std::uint64_t seed) {
  const training_set ordered = in_canonical_order(set);
  const performance_matrix performance(ordered);
  const std::vector<std::size_t> fold_of = assign_folds(ordered.workloads, folds, seed);
  const std::array<std::string, 2> size_names{"m", "nnz"};
  double logarithms_by_size = 0;
  double logarithms = 0;
  double count = 0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> others;
    for (std::size_t g = 0; g < fold_of.size(); ++g) {
      if (fold_of[g] != fold) others.push_back(g);
    }
    const std::optional<time_model> learned = fit_times(keep_workloads(ordered, others), ordered.features, "");
    if (!learned) return std::nullopt;
    for (std::size_t g = 0; g < fold_of.size(); ++g) {
      if (fold_of[g] != fold || !performance.solved(g)) continue;
      const auto floats = [&](std::span<const std::string> names) {
        const feature_values values = pick_features(names, ordered.features, ordered.workloads[g].features);
        return std::vector<float>(values.begin(), values.end());
      };
      const std::vector<float> size = floats(size_names);
      const double items = double{size[0]} + double{size[1]};
      if (!(items > 0)) continue;
      const double best_ms = performance.best_milliseconds(g);
      logarithms_by_size += std::abs(std::log(learned->by_size.milliseconds(size, items) / best_ms));
      logarithms += std::abs(std::log(learned->by_features.milliseconds(floats(learned->features), items) / best_ms));
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return time_errors{.by_size = std::exp(logarithms_by_size / count), .by_features = std::exp(logarithms / count)};
}

void check_times(const time_model& model) {
  check_fit(model.by_size, 2);
  check_fit(model.by_features, model.features.size());
}

}  // namespace mlmq::selector
