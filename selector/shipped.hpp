// SPDX-License-Identifier: Apache-2.0
// The selector that is compiled into the program: selector/shipped/model.hpp, exported from
// recorded trials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mlmq::selector {

/// How many configurations the shipped selector chooses from.
[[nodiscard]] std::size_t shipped_candidate_count();

/// The names of the features that the shipped selector wants to know of a workload (told_features.hpp), in the order in
/// which the functions below take their values; NaN: unknown. They throw std::invalid_argument for another number of them.
[[nodiscard]] std::span<const std::string_view> shipped_features();

/// The configuration for a workload.
[[nodiscard]] std::size_t shipped_select(std::span<const double> features);

/// All configurations, best first; of equals the lowest index first.
[[nodiscard]] std::vector<std::size_t> shipped_ranked(std::span<const double> features);

/// The relative performance that is expected of a configuration. @throws std::out_of_range for an index that is not one.
[[nodiscard]] float shipped_predict(std::span<const double> features, std::size_t candidate);

/// The configuration's label. @throws std::out_of_range for an index that is not one.
[[nodiscard]] std::string_view shipped_label(std::size_t candidate);

/// How many times the shipped selector expects: that of its best configuration on the device, then those of
/// configurations for processors. 0: none.
[[nodiscard]] std::size_t shipped_time_count();

/// The problem whose times they are: "sssp".
[[nodiscard]] std::string_view shipped_time_problem();

/// Threads of the processors on which its times of configurations for processors were recorded; 0: not known.
[[nodiscard]] unsigned shipped_processor_threads();

/// The configuration for processors whose time is number `i`, above 0. @throws std::out_of_range
[[nodiscard]] std::string_view shipped_time_label(std::size_t i);

/// What the configuration of time number `i` took on the processors of the record, on a workload that any machine can make.
struct shipped_calibration {
  std::string_view workload;  ///< a generator's name
  std::string_view query;     ///< "source=0"
  double milliseconds = 0;
};
[[nodiscard]] std::vector<shipped_calibration> shipped_calibrations(std::size_t i);

/// Expected milliseconds, as far as the size of a workload tells: the features m and nnz.
[[nodiscard]] std::vector<double> shipped_times_by_size(double m, double nnz);

/// Expected milliseconds. `features`: as for shipped_select().
[[nodiscard]] std::vector<double> shipped_times(std::span<const double> features, double m, double nnz);

/// What the shipped selector was trained on: one line of JSON (provenance_json()).
[[nodiscard]] std::string_view shipped_provenance();

}  // namespace mlmq::selector
