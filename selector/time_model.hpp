// SPDX-License-Identifier: Apache-2.0
// Predicts how long a search takes. Comparing two places needs times; relative performance is not enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "selector/runtime.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

/// Predicts milliseconds per vertex and edge. The logarithm of the time is linear in the logarithms of features, plus
/// the deviations of recorded workloads (landmarks), weighted by similarity. Features outside the recorded range are
/// clamped to it, so that times scale with the size of the workload; unknown features count as average. Logarithms are
/// computed from the bits of floats, so that the same record gives the same numbers on every machine.
struct time_fit {
  std::vector<runtime::time_axis> axes;  ///< axes for some of the input values, ascending
  std::vector<float> landmarks;          ///< axes × landmarks: positions of the workloads with known deviations
  /// The terms are 1, each axis, and the similarity to each landmark, (1 + d/4)^-4 with d = 0.16 Σ |difference|.
  std::vector<float> weights;
  float least = 0;        ///< the lowest logarithm on record
  float most = 0;         ///< the highest
  float least_items = 0;  ///< items of the smallest workload; smaller ones take the same time

  [[nodiscard]] std::size_t landmark_count() const { return axes.empty() ? 0 : landmarks.size() / axes.size(); }

  /// The view is valid as long as this object and `placed` are. @param placed the axes, possibly with other value
  /// indices
  [[nodiscard]] runtime::time_fit view(std::span<const runtime::time_axis> placed) const;

  /// @param values features; NaN: unknown
  /// @param items number of vertices and edges of the workload
  [[nodiscard]] double milliseconds(std::span<const float> values, double items) const {
    return runtime::expected_ms(view(axes), values.data(), items);
  }
};

/// Model of the times of searches with the best of a model's candidates.
struct time_model {
  std::string problem;                ///< the solved problem: "sssp"; times of other problems are not predicted
  std::vector<std::string> features;  ///< names of the inputs of by_features; a subset of the model's features
  time_fit by_size;                   ///< inputs: vertices and edges; for workloads of which only the size is known
  time_fit by_features;
};

/// Fits times to the best time of each workload. The order of the records of the set does not matter.
/// @param set record with the candidates that the model chooses from
/// @param names features of the model; features that measure the size of weights are not used
/// @return nothing if the record lacks the features "m" and "nnz", or has fewer than 10 solved workloads
[[nodiscard]] std::optional<time_model> fit_times(const training_set& set, std::span<const std::string> names,
                                                  const std::string& problem);

/// Errors of expected times of workloads that were not learned from: geometric means of max(expected / best time, best
/// time / expected).
struct time_errors {
  double by_size = 0;
  double by_features = 0;
};

/// Cross-validates fit_times() with parts of assign_folds(), without splitting groups.
/// @return nothing if the workloads outside a part are too few, or of unknown size
[[nodiscard]] std::optional<time_errors> cross_validate_times(const training_set& set, std::size_t folds,
                                                              std::uint64_t seed);

/// @throws input_error if the sizes are inconsistent or a number is not finite
void check_times(const time_model& model);

}  // namespace mlmq::selector
