// SPDX-License-Identifier: Apache-2.0
// Kernel ridge regression: predicts that a workload behaves like the recorded workloads that are similar to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selector/runtime.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

struct kernel_settings {
  /// Distance that one standard deviation of a feature contributes: the larger, the fewer workloads are alike. Above 0.
  double scale = 0.08;
  /// Ridge: assumed noise of the recorded values. Above 0.
  double ridge = 0.03;
  /// Maximum number of recorded workloads whose similarities are used. More make a choice slower.
  std::size_t landmarks = 1024;
};

/// Level of an unknown feature, and of the average of a known one.
inline constexpr std::uint8_t kernel_average = 128;

/// A fit. The score of a candidate is start + Σ over the points of weight × similarity of the workload and the point.
/// The similarity is (1 + d/4)^-4 with d = level × Σ over the features of |level of the workload - level of the point|:
/// a mixture of Laplace kernels, so it is positive definite. A position is one byte per feature; with more than 64
/// levels per three deviations the rounding costs nothing.
struct kernel_fit {
  std::size_t candidates = 0;
  std::vector<std::uint8_t> used;    ///< indices of the features in the model's inputs, ascending
  std::vector<float> centre;         ///< per feature: its mean position over the recorded workloads
  std::vector<float> scale;          ///< per feature: levels per unit of position
  float level = 1;                   ///< distance of one level: a power of two, so that products with it are exact
  std::vector<std::uint8_t> points;  ///< points × padded(features): positions of the recorded workloads
  std::vector<float> weights;        ///< points × padded(candidates)

  [[nodiscard]] std::size_t point_count() const;
};

/// A fit in the form that the runtime evaluates, with the storage of its points. Weights are rounded to a common
/// unit.
class kernel_blocks {
 public:
  /// @param fit must outlive this object
  explicit kernel_blocks(const kernel_fit& fit);

  /// The view is valid as long as this object is.
  [[nodiscard]] runtime::kernel view() const;

 private:
  const kernel_fit* fit_;
  std::vector<std::uint8_t> points_;   ///< as runtime::kernel::points
  std::vector<std::int16_t> weights_;  ///< as runtime::kernel::weights
  double unit_ = 1;                    ///< of the weights
};

/// Fits relative performances.
/// @param rows one row per workload, with all of the model's inputs
/// @param is_wanted which inputs to use; inputs that are equal for all workloads are ignored
/// @param targets workloads × candidates: relative performance minus the start
/// @throws input_error for invalid settings
[[nodiscard]] kernel_fit fit_kernel(const dense_matrix& rows, const std::vector<bool>& is_wanted,
                                    std::span<const double> targets, const kernel_settings& settings);

// The parts of fit_kernel(), for callers that compute the weights themselves.

/// Creates a fit without points. @param rows workloads from which the average and deviation of each feature are
/// computed
/// @throws input_error for an invalid scale
[[nodiscard]] kernel_fit place_kernel(const dense_matrix& rows, const std::vector<bool>& is_wanted,
                                      std::size_t candidates, double scale);

/// Computes the similarity of every pair of workloads: rows × rows, from 0 to 1.
[[nodiscard]] std::vector<double> similarity_matrix(const kernel_fit& fit, const dense_matrix& rows);

/// Makes the workloads the points of the fit. @param weights candidates × workloads
void set_points(kernel_fit& fit, const dense_matrix& rows, const std::vector<std::vector<double>>& weights);

/// Returns the importance of each model input: its share of the total change in the scores of the recorded workloads
/// when features become unknown.
[[nodiscard]] std::vector<double> importance_of_inputs(const kernel_fit& fit, std::size_t inputs);

/// @param inputs number of the model's inputs
/// @throws input_error if the sizes are inconsistent or a number is not finite
void check_kernel(const kernel_fit& fit, std::size_t inputs, std::size_t candidates);

}  // namespace mlmq::selector
