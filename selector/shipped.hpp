// SPDX-License-Identifier: Apache-2.0
// The selector that is compiled into the program: selector/shipped/model.hpp, trained on recorded trials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mlmq::selector {

/// Returns the number of configurations that the shipped selector chooses from.
[[nodiscard]] std::size_t shipped_candidate_count();

/// Returns the names of the features that the shipped selector uses (model_inputs.hpp), in the order in which the
/// functions below take their values; NaN: unknown. These functions throw std::invalid_argument for another number of
/// values.
[[nodiscard]] std::span<const std::string_view> shipped_features();

/// Returns the configuration for a workload.
[[nodiscard]] std::size_t shipped_select(std::span<const double> features);

/// Returns all configurations, best first; ties go to the lowest index.
[[nodiscard]] std::vector<std::size_t> shipped_ranked(std::span<const double> features);

/// Returns the predicted relative performance of each configuration, by index.
[[nodiscard]] std::vector<float> shipped_predict_all(std::span<const double> features);

/// Returns the label of a configuration. @throws std::out_of_range for an invalid index
[[nodiscard]] std::string_view shipped_label(std::size_t candidate);

/// Returns the number of times that the shipped selector predicts: that of its best configuration on the device, then
/// those of configurations for processors. 0: it predicts none.
[[nodiscard]] std::size_t shipped_time_count();

/// Returns the problem that the predicted times are for: "sssp".
[[nodiscard]] std::string_view shipped_time_problem();

/// Returns the number of threads of the processors on which the times of configurations for processors were recorded;
/// 0: unknown.
[[nodiscard]] unsigned shipped_processor_threads();

/// Returns the label of the configuration for processors whose time has index `i`, above 0. @throws std::out_of_range
[[nodiscard]] std::string_view shipped_time_label(std::size_t i);

/// A recorded time on processors, on a workload that any machine can generate.
struct shipped_calibration {
  std::string_view workload;  ///< a generator's name
  std::string_view query;     ///< "source=0"
  double milliseconds = 0;
};
/// Returns the recorded times of the configuration whose time has index `i`.
[[nodiscard]] std::vector<shipped_calibration> shipped_calibrations(std::size_t i);

/// Predicts milliseconds from the size of a workload alone: the features m and nnz.
[[nodiscard]] std::vector<double> shipped_times_by_size(double m, double nnz);

/// Predicts milliseconds. @param features as for shipped_select()
[[nodiscard]] std::vector<double> shipped_times(std::span<const double> features, double m, double nnz);

/// Returns the provenance of the shipped selector as one line of JSON (provenance_json()).
[[nodiscard]] std::string_view shipped_provenance();

}  // namespace mlmq::selector
