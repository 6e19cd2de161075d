// SPDX-License-Identifier: Apache-2.0
// Kernel ridge regression: a workload is expected to behave as the recorded workloads that are like it do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selector/runtime.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

struct kernel_settings {
  /// What a standard deviation of one feature counts: the larger, the fewer workloads are alike. Above 0.
  double scale = 0.08;
  /// How much of what is recorded of a workload is taken for noise. Above 0.
  double ridge = 0.1;
};

/// What an unknown feature and the average of a known one count as.
inline constexpr std::uint8_t kernel_average = 128;

/// A fit. The score of a candidate is start + Σ over the points of weight × likeness of the workload and the point, where
/// likeness = (1 + d/4)^-4 of d = level × Σ over the features of |level of the workload - level of the point|: a mixture of
/// Laplace kernels, so positive definite. Where a workload is, is a byte for each feature: more than 64 levels to three
/// deviations lose nothing.
struct kernel_fit {
  std::size_t candidates = 0;
  std::vector<std::uint8_t> used;    ///< which it looks at: indices into the model's inputs, ascending
  std::vector<float> centre;         ///< per feature: its mean position over the recorded workloads
  std::vector<float> scale;          ///< per feature: levels to a unit of position
  float level = 1;                   ///< what a level counts: a power of two, so that products with it are exact
  std::vector<std::uint8_t> points;  ///< points × padded(features): where the recorded workloads are
  std::vector<float> weights;        ///< points × padded(candidates)

  [[nodiscard]] std::size_t point_count() const;

  /// Valid as long as this is.
  [[nodiscard]] runtime::kernel view() const;
};

/// Fits to relative performances.
/// @param rows one for each workload: all of the model's inputs
/// @param wanted which of the inputs count; those that are the same for all workloads do not
/// @param targets workloads × candidates: what is to be predicted less the start
/// @throws input_error for settings that make no sense
[[nodiscard]] kernel_fit fit_kernel(const dense_matrix& rows, const std::vector<bool>& wanted,
                                    std::span<const double> targets, const kernel_settings& settings);

// The parts of fit_kernel(), for who finds the weights otherwise.

/// A fit without points. @param rows the workloads over which a feature's average and deviation are taken
/// @throws input_error for a scale that makes no sense
[[nodiscard]] kernel_fit place_kernel(const dense_matrix& rows, const std::vector<bool>& wanted, std::size_t candidates,
                                      double scale);

/// How much each of the workloads is like each: rows × rows, from 0 to 1.
[[nodiscard]] std::vector<double> likeness_matrix(const kernel_fit& fit, const dense_matrix& rows);

/// Makes the workloads the fit's points. @param weights per candidate: one for each workload
void set_points(kernel_fit& fit, const dense_matrix& rows, const std::vector<std::vector<double>>& weights);

/// For each of a model's inputs its share of what all features together change in the scores of the recorded workloads when
/// they are unknown.
[[nodiscard]] std::vector<double> importance_of_inputs(const kernel_fit& fit, std::size_t inputs);

/// @param inputs how many the model has
/// @throws input_error when the sizes do not fit each other or a number is not finite
void check_kernel(const kernel_fit& fit, std::size_t inputs, std::size_t candidates);

}  // namespace mlmq::selector
