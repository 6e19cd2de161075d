// SPDX-License-Identifier: Apache-2.0
#include "selector/kernel_fit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>

#include "base/error.hpp"
#include "selector/cholesky.hpp"

namespace mlmq::selector {
namespace {

/// Deviations that have levels on either side of the average.
constexpr double deviations_with_levels = 3;

/// @param level see kernel_fit
float likeness(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, float level) {
  std::uint32_t distance = 0;
  for (std::size_t f = 0; f < a.size(); ++f) distance += static_cast<std::uint32_t>(std::abs(int{a[f]} - int{b[f]}));
  const float root = 1.0F / (1.0F + static_cast<float>(distance) * (level * 0.25F));
  const float square = root * root;
  return square * square;
}

/// The least power of two with which the levels reach far enough. @param scale see kernel_settings
double level_for(double scale) {
  return std::exp2(std::ceil(std::log2(scale * deviations_with_levels / double{kernel_average})));
}

void check_settings(const kernel_settings& settings) {
  if (!(settings.scale > 0 && std::isfinite(settings.scale)))
    throw input_error("training settings: the kernel's scale must be above 0");
  if (!(settings.ridge > 0 && std::isfinite(settings.ridge)))
    throw input_error("training settings: the ridge must be above 0");
}

/// Centre and scale of one feature over the recorded graphs that have it; not when it is the same for all.
/// @param levels to a deviation
void add_feature(kernel_fit& fit, std::span<const std::vector<float>> rows, std::size_t feature, double levels) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const std::vector<float>& row : rows) {
    if (std::isnan(row[feature])) continue;
    sum += double{feature_position(row[feature])};
    ++count;
  }
  if (count == 0) return;
  const double centre = sum / count;
  for (const std::vector<float>& row : rows) {
    if (!std::isnan(row[feature])) squares += std::pow(double{feature_position(row[feature])} - centre, 2);
  }
  const double deviation = std::sqrt(squares / count);
  if (!(deviation > 1e-6)) return;
  fit.features.push_back(feature);
  fit.centre.push_back(static_cast<float>(centre));
  fit.scale.push_back(static_cast<float>(levels / deviation));
}

/// One point for all graphs at one place (the same graph from several vertices): their weights add up.
/// @param weights per candidate: one for each place
void store_points(kernel_fit& fit, const std::vector<kernel_place>& places,
                  const std::vector<std::vector<double>>& weights) {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> first;  // graph of each point
  std::vector<std::vector<double>> sums;
  for (std::size_t graph = 0; graph < places.size(); ++graph) {
    const auto [found, is_new] = known.emplace(std::string(places[graph].begin(), places[graph].end()), first.size());
    if (is_new) {
      first.push_back(graph);
      sums.emplace_back(fit.candidates, 0.0);
    }
    for (std::size_t c = 0; c < fit.candidates; ++c) sums[found->second][c] += weights[c][graph];
  }
  for (const std::size_t graph : first) fit.points.insert(fit.points.end(), places[graph].begin(), places[graph].end());
  for (const std::vector<double>& row : sums) {
    for (const double weight : row) fit.weights.push_back(static_cast<float>(weight));
  }
}

}  // namespace

float feature_position(float value) {
  // Between two powers of two the bits of a float grow as its value: they are a logarithm made of straight lines.
  const float shifted = 1.0F + (value > 0 ? value : 0.0F);
  return static_cast<float>(std::bit_cast<std::int32_t>(shifted)) * 0x1p-23F - 127.0F;
}

kernel_place kernel_fit::place(std::span<const float> values) const {
  kernel_place result;
  for (std::size_t i = 0; i < features.size(); ++i) {
    float at = kernel_average;
    if (const float value = values[features[i]]; !std::isnan(value))
      at += (feature_position(value) - centre[i]) * scale[i];
    result.push_back(static_cast<std::uint8_t>(std::clamp(at, 0.0F, 255.0F) + 0.5F));
  }
  return result;
}

void kernel_fit::add(std::span<const std::uint8_t> place, std::span<float> sums) const {
  // Even and odd points by themselves, as the exported header adds them.
  std::array<std::vector<float>, 2> parts{std::vector<float>(candidates), std::vector<float>(candidates)};
  const std::size_t count = point_count();
  for (std::size_t point = 0; point < count; ++point) {
    const std::span there = std::span(points).subspan(point * features.size(), features.size());
    const float like = likeness(place, there, level);
    for (std::size_t c = 0; c < candidates; ++c) parts[point % 2][c] += like * weights[point * candidates + c];
  }
  for (std::size_t c = 0; c < candidates; ++c) sums[c] += parts[0][c] + parts[1][c];
}

kernel_fit fit_kernel(std::span<const std::vector<float>> rows, const std::vector<bool>& wanted,
                      std::span<const double> targets, const kernel_settings& settings) {
  check_settings(settings);
  kernel_fit fit;
  const std::size_t count = rows.size();
  fit.candidates = count == 0 ? 0 : targets.size() / count;
  const double level = level_for(settings.scale);
  fit.level = static_cast<float>(level);
  for (std::size_t f = 0; f < wanted.size(); ++f) {
    if (wanted[f]) add_feature(fit, rows, f, settings.scale / level);
  }
  std::vector<kernel_place> places;
  for (const std::vector<float>& row : rows) places.push_back(fit.place(row));

  std::vector<double> kernel(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      kernel[a * count + b] = double{likeness(places[a], places[b], fit.level)} + (a == b ? settings.ridge : 0.0);
    }
  }
  decompose_cholesky(kernel, count);
  std::vector<std::vector<double>> weights;
  for (std::size_t c = 0; c < fit.candidates; ++c) {
    std::vector<double>& column = weights.emplace_back();
    for (std::size_t a = 0; a < count; ++a) column.push_back(targets[a * fit.candidates + c]);
    solve_cholesky(kernel, count, column);
  }
  store_points(fit, places, weights);
  return fit;
}

void check_kernel(const kernel_fit& fit, std::size_t inputs, std::size_t candidates) {
  const auto finite = [](const std::vector<float>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](float number) { return std::isfinite(number); });
  };
  const std::size_t used = fit.features.size();
  if (fit.candidates != candidates || candidates == 0 || fit.weights.size() % candidates != 0 ||
      fit.centre.size() != used || fit.scale.size() != used || fit.points.size() != used * fit.point_count() ||
      !std::is_sorted(fit.features.begin(), fit.features.end()) || (used > 0 && fit.features.back() >= inputs))
    throw input_error("selector model: the parts of its kernel do not fit each other");
  int exponent = 0;
  if (!(fit.level > 0) || !std::isfinite(fit.level) || std::frexp(fit.level, &exponent) != 0.5F)
    throw input_error("selector model: the level of its kernel is no power of two");
  if (!finite(fit.centre) || !finite(fit.scale) || !finite(fit.weights))
    throw input_error("selector model: a number of its kernel is not finite");
}

}  // namespace mlmq::selector
