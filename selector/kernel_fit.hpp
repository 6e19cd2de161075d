// SPDX-License-Identifier: Apache-2.0
// Kernel ridge regression: a graph is expected to behave as the recorded graphs that are like it do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mlmq::selector {

struct kernel_settings {
  /// What a standard deviation of one feature counts: the larger, the fewer graphs are alike. Above 0.
  double scale = 0.08;
  /// How much of what is recorded of a graph is taken for noise. Above 0.
  double ridge = 0.1;
};

/// Where a value of a feature is on its axis, before it is centred and scaled: about log2(1 + value), made of the bits of
/// the float 1 + value, so that it is the same on every machine and costs next to nothing. Below 0 as 0.
[[nodiscard]] float feature_position(float value);

/// Where a graph is, of each feature in a byte: whole levels, 128 for the average, which is also what unknown ones count as.
/// Processors have an instruction for the distance of two rows of bytes, and more than 64 levels to three deviations
/// lose nothing.
using kernel_place = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kernel_average = 128;

/// A fit. The score of a candidate is start + Σ over the points of weight × likeness of the graph and the point, where
/// likeness = (1 + d/4)^-4 of d = level × Σ over the features of |level of the graph - level of the point|: a mixture of
/// Laplace kernels, so positive definite.
struct kernel_fit {
  std::size_t candidates = 0;
  std::vector<std::size_t> features;  ///< which it looks at: indices into the model's inputs, ascending
  std::vector<float> centre;          ///< per feature: its mean position over the recorded graphs
  std::vector<float> scale;           ///< per feature: levels to a unit of position
  float level = 1;                    ///< what a level counts: a power of two, so that products with it are exact
  kernel_place points;                ///< points × features: where the recorded graphs are
  std::vector<float> weights;         ///< points × candidates

  [[nodiscard]] std::size_t point_count() const { return candidates == 0 ? 0 : weights.size() / candidates; }

  /// `values`: all of the model's inputs, features and ratios of them, in float32; NaN: unknown.
  [[nodiscard]] kernel_place place(std::span<const float> values) const;

  /// Adds Σ weight × likeness to `sums`, one per candidate. `place`: as place() gives it.
  void add(std::span<const std::uint8_t> place, std::span<float> sums) const;
};

/// Fits to relative performances.
/// @param rows one for each graph: all of the model's inputs, in float32
/// @param wanted which of the inputs count; those that are the same for all graphs do not
/// @param targets graphs × candidates: what is to be predicted less the start
/// @throws input_error for settings that make no sense
[[nodiscard]] kernel_fit fit_kernel(std::span<const std::vector<float>> rows, const std::vector<bool>& wanted,
                                    std::span<const double> targets, const kernel_settings& settings);

/// @param inputs how many the model has
/// @throws input_error when the sizes do not fit each other or a number is not finite
void check_kernel(const kernel_fit& fit, std::size_t inputs, std::size_t candidates);

}  // namespace mlmq::selector
