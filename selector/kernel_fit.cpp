// SPDX-License-Identifier: Apache-2.0
#include "selector/kernel_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "selector/cholesky.hpp"

namespace mlmq::selector {
namespace {

/// Number of deviations covered by levels on either side of the average.
constexpr double deviations_with_levels = 3;

/// Returns the smallest power of two with which the levels cover these deviations. @param scale see kernel_settings
double level_for(double scale) {
  return std::exp2(std::ceil(std::log2(scale * deviations_with_levels / double{kernel_average})));
}

void check_scale(double scale) {
  if (!(scale > 0 && std::isfinite(scale))) throw input_error("training settings: the kernel's scale must be above 0");
}

void check_settings(const kernel_settings& settings) {
  check_scale(settings.scale);
  if (!(settings.ridge > 0 && std::isfinite(settings.ridge)))
    throw input_error("training settings: the ridge must be above 0");
}

/// Adds the centre and scale of one feature over the recorded workloads that have it. Skips a constant feature.
/// @param levels levels per deviation
void add_feature(kernel_fit& fit, const dense_matrix& rows, std::size_t feature, double levels) {
  const auto value = [&](std::size_t row) { return rows.values[row * rows.columns + feature]; };
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    if (std::isnan(value(row))) continue;
    sum += double{runtime::position(value(row))};
    ++count;
  }
  if (count == 0) return;
  const double centre = sum / count;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    if (!std::isnan(value(row))) squares += std::pow(double{runtime::position(value(row))} - centre, 2);
  }
  const double deviation = std::sqrt(squares / count);
  if (!(deviation > 1e-6)) return;
  fit.used.push_back(static_cast<std::uint8_t>(feature));
  fit.centre.push_back(static_cast<float>(centre));
  fit.scale.push_back(static_cast<float>(levels / deviation));
}

double weight_of(const kernel_fit& fit, std::size_t point, std::size_t candidate) {
  return double{fit.weights[point * runtime::padded(fit.candidates) + candidate]};
}

/// Returns the smallest power of two in which all weights are whole numbers within the runtime's limits.
double unit_of_weights(const kernel_fit& fit) {
  constexpr std::size_t block_size = runtime::points_per_block;
  constexpr double largest_weight = std::numeric_limits<std::int16_t>::max();
  // Rounding adds at most one half per point.
  constexpr double largest_sum = double{runtime::largest_block_weight} - double{block_size} / 2;
  double least = 0x1p-40;
  for (std::size_t c = 0; c < fit.candidates; ++c) {
    double sum = 0;
    for (std::size_t point = 0; point < fit.point_count(); ++point) {
      const double weight = std::abs(weight_of(fit, point, c));
      sum = point % block_size == 0 ? weight : sum + weight;
      least = std::max({least, weight / largest_weight, sum / largest_sum});
    }
  }
  return std::exp2(std::ceil(std::log2(least)));
}

using kernel_place = std::vector<std::uint8_t>;

std::vector<kernel_place> places_of(const kernel_fit& fit, const dense_matrix& rows) {
  const kernel_blocks blocks(fit);
  std::vector<kernel_place> places;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    kernel_place& place = places.emplace_back(runtime::padded_place(fit.used.size()));
    runtime::find_place(blocks.view(), rows.values.data() + row * rows.columns, place.data());
    place.resize(runtime::padded(fit.used.size()));
  }
  return places;
}

/// Returns the similarity of two places. @param level distance per level
double similarity_of(const kernel_place& a, const kernel_place& b, float level) {
  int distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) distance += std::abs(int{a[i]} - int{b[i]});
  return double{runtime::similarity(static_cast<float>(distance) * level)};
}

/// Returns the rows from whose similarities those of all others follow best, ascending: the pivots of an incomplete
/// Cholesky decomposition. Rows that follow from others without error are left out.
/// @param similarities count × count
std::vector<std::size_t> choose_landmarks(const std::vector<double>& similarities, std::size_t count,
                                          std::size_t most) {
  constexpr double least_error = 1e-9;
  std::vector<double> errors(count, 1.0);
  std::vector<std::vector<double>> columns;  // of the decomposition
  std::vector<std::size_t> landmarks;
  while (landmarks.size() < std::min(count, most)) {
    const auto worst = static_cast<std::size_t>(std::max_element(errors.begin(), errors.end()) - errors.begin());
    if (errors[worst] < least_error) break;
    landmarks.push_back(worst);
    std::vector<double> column(similarities.begin() + static_cast<std::ptrdiff_t>(worst * count),
                               similarities.begin() + static_cast<std::ptrdiff_t>((worst + 1) * count));
    for (const std::vector<double>& former : columns) {
      const double factor = former[worst];
      for (std::size_t row = 0; row < count; ++row) column[row] -= factor * former[row];
    }
    const double root = std::sqrt(errors[worst]);
    for (std::size_t row = 0; row < count; ++row) {
      column[row] /= root;
      errors[row] -= column[row] * column[row];
    }
    errors[worst] = 0;
    columns.push_back(std::move(column));
  }
  std::sort(landmarks.begin(), landmarks.end());
  return landmarks;
}

/// Returns the weights of the landmarks, per candidate, that minimise Σ over the rows of error² + ridge × wᵀ K w, with
/// K the similarities of the landmarks. With all rows as landmarks these are (K + ridge)⁻¹ × targets.
std::vector<std::vector<double>> weights_of(const std::vector<double>& similarities,
                                            const std::vector<std::size_t>& landmarks, std::span<const double> targets,
                                            std::size_t candidates, double ridge) {
  const std::size_t size = landmarks.size();
  const std::size_t count = size == 0 ? 0 : targets.size() / candidates;
  std::vector<double> matrix(size * size, 0.0);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b <= a; ++b)
      matrix[a * size + b] = ridge * similarities[landmarks[a] * count + landmarks[b]];
  }
  std::vector<std::vector<double>> weights(candidates, std::vector<double>(size, 0.0));
  std::vector<double> row(size);
  for (std::size_t w = 0; w < count; ++w) {
    for (std::size_t a = 0; a < size; ++a) row[a] = similarities[w * count + landmarks[a]];
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b <= a; ++b) matrix[a * size + b] += row[a] * row[b];
    }
    for (std::size_t c = 0; c < candidates; ++c) {
      for (std::size_t a = 0; a < size; ++a) weights[c][a] += row[a] * targets[w * candidates + c];
    }
  }
  decompose_cholesky(matrix, size);
  for (std::vector<double>& column : weights) solve_cholesky(matrix, size, column);
  return weights;
}

dense_matrix rows_at(const dense_matrix& rows, const std::vector<std::size_t>& indices) {
  dense_matrix result{indices.size(), rows.columns, {}};
  for (const std::size_t row : indices) {
    const auto first = rows.values.begin() + static_cast<std::ptrdiff_t>(row * rows.columns);
    result.values.insert(result.values.end(), first, first + static_cast<std::ptrdiff_t>(rows.columns));
  }
  return result;
}

/// Stores one point for all workloads at the same place (one workload with several queries), with the sum of their
/// weights.
/// @param weights candidates × places
void store_points(kernel_fit& fit, const std::vector<kernel_place>& places,
                  const std::vector<std::vector<double>>& weights) {
  std::map<std::string, std::size_t> point_of_place;
  std::vector<std::vector<double>> sums;
  for (std::size_t row = 0; row < places.size(); ++row) {
    const auto [point, is_new] =
        point_of_place.emplace(std::string(places[row].begin(), places[row].end()), sums.size());
    if (is_new) {
      fit.points.insert(fit.points.end(), places[row].begin(), places[row].end());
      sums.emplace_back(fit.candidates, 0.0);
    }
    for (std::size_t c = 0; c < fit.candidates; ++c) sums[point->second][c] += weights[c][row];
  }
  for (const std::vector<double>& row : sums) {
    for (const double weight : row) fit.weights.push_back(static_cast<float>(weight));
    fit.weights.resize(runtime::padded(fit.weights.size()), 0.0F);  // whole rows before it are whole registers
  }
}

}  // namespace

std::size_t kernel_fit::point_count() const {
  return candidates == 0 ? 0 : weights.size() / runtime::padded(candidates);
}

kernel_blocks::kernel_blocks(const kernel_fit& fit) : fit_(&fit) {
  constexpr std::size_t block_size = runtime::points_per_block;
  const std::size_t count = fit.point_count();
  const std::size_t blocks = (count + block_size - 1) / block_size;
  const std::size_t used = runtime::padded(fit.used.size());
  const std::size_t width = runtime::padded_place(fit.used.size());
  points_.assign(blocks * block_size * width, 0);
  for (std::size_t point = 0; point < count; ++point)
    std::copy_n(fit.points.data() + point * used, used, points_.data() + point * width);
  unit_ = unit_of_weights(fit);
  weights_.assign(blocks * block_size * fit.candidates, 0);
  for (std::size_t point = 0; point < count; ++point) {
    std::int16_t* const block = weights_.data() + point / block_size * block_size * fit.candidates;
    for (std::size_t c = 0; c < fit.candidates; ++c)
      block[c * block_size + point % block_size] =
          static_cast<std::int16_t>(std::lrint(weight_of(fit, point, c) / unit_));
  }
}

runtime::kernel kernel_blocks::view() const {
  return {.used_count = fit_->used.size(),
          .used = fit_->used.data(),
          .centre = fit_->centre.data(),
          .scale = fit_->scale.data(),
          .block_count = fit_->candidates == 0 ? 0 : weights_.size() / runtime::points_per_block / fit_->candidates,
          .points = points_.data(),
          .weights = weights_.data(),
          .level = fit_->level,
          .unit = static_cast<float>(unit_ / double{runtime::largest_similarity})};
}

kernel_fit place_kernel(const dense_matrix& rows, const std::vector<bool>& is_wanted, std::size_t candidates,
                        double scale) {
  check_scale(scale);
  kernel_fit fit;
  fit.candidates = candidates;
  const double level = level_for(scale);
  fit.level = static_cast<float>(level);
  for (std::size_t f = 0; f < is_wanted.size(); ++f) {
    if (is_wanted[f]) add_feature(fit, rows, f, scale / level);
  }
  return fit;
}

std::vector<double> similarity_matrix(const kernel_fit& fit, const dense_matrix& rows) {
  const std::vector<kernel_place> places = places_of(fit, rows);
  std::vector<double> matrix(rows.rows * rows.rows);
  for (std::size_t a = 0; a < rows.rows; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      matrix[a * rows.rows + b] = matrix[b * rows.rows + a] = similarity_of(places[a], places[b], fit.level);
    }
  }
  return matrix;
}

void set_points(kernel_fit& fit, const dense_matrix& rows, const std::vector<std::vector<double>>& weights) {
  fit.points.clear();
  fit.weights.clear();
  store_points(fit, places_of(fit, rows), weights);
}

kernel_fit fit_kernel(const dense_matrix& rows, const std::vector<bool>& is_wanted, std::span<const double> targets,
                      const kernel_settings& settings) {
  check_settings(settings);
  const std::size_t count = rows.rows;
  kernel_fit fit = place_kernel(rows, is_wanted, count == 0 ? 0 : targets.size() / count, settings.scale);
  const std::vector<double> similarities = similarity_matrix(fit, rows);
  const std::vector<std::size_t> landmarks = choose_landmarks(similarities, count, settings.landmarks);
  set_points(fit, rows_at(rows, landmarks),
             weights_of(similarities, landmarks, targets, fit.candidates, settings.ridge));
  return fit;
}

std::vector<double> importance_of_inputs(const kernel_fit& fit, std::size_t inputs) {
  const kernel_blocks blocks(fit);
  const runtime::kernel view = blocks.view();
  const std::size_t width = runtime::padded(fit.used.size());
  std::vector<double> change(inputs, 0);
  double total = 0;
  for (std::size_t point = 0; point < fit.point_count(); ++point) {
    const auto first = fit.points.begin() + static_cast<std::ptrdiff_t>(point * width);
    kernel_place place(first, first + static_cast<std::ptrdiff_t>(width));
    place.resize(runtime::padded_place(fit.used.size()));
    std::vector<float> full_scores(fit.candidates, 0.0F);
    runtime::add_similarity(view, place.data(), fit.candidates, full_scores.data());
    for (std::size_t f = 0; f < fit.used.size(); ++f) {
      std::vector<float> reduced_scores(fit.candidates, 0.0F);
      const std::uint8_t original_level = std::exchange(place[f], kernel_average);
      runtime::add_similarity(view, place.data(), fit.candidates, reduced_scores.data());
      place[f] = original_level;
      for (std::size_t c = 0; c < fit.candidates; ++c)
        change[fit.used[f]] += std::abs(double{full_scores[c]} - double{reduced_scores[c]});
    }
  }
  for (const double share : change) total += share;
  for (double& share : change) share = total > 0 ? share / total : 0;
  return change;
}

void check_kernel(const kernel_fit& fit, std::size_t inputs, std::size_t candidates) {
  const auto finite = [](const std::vector<float>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](float number) { return std::isfinite(number); });
  };
  const std::size_t used = fit.used.size();
  if (fit.candidates != candidates || candidates == 0 || fit.weights.size() % runtime::padded(candidates) != 0 ||
      fit.centre.size() != used || fit.scale.size() != used ||
      fit.points.size() != runtime::padded(used) * fit.point_count() ||
      !std::is_sorted(fit.used.begin(), fit.used.end()) || (used > 0 && fit.used.back() >= inputs))
    throw input_error("selector model: the sizes of its kernel's arrays are inconsistent");
  int exponent = 0;
  if (!(fit.level > 0) || !std::isfinite(fit.level) || std::frexp(fit.level, &exponent) != 0.5F)
    throw input_error("selector model: the level of its kernel is not a power of two");
  if (!finite(fit.centre) || !finite(fit.scale) || !finite(fit.weights))
    throw input_error("selector model: a number of its kernel is not finite");
}

}  // namespace mlmq::selector
