// SPDX-License-Identifier: Apache-2.0
// How good the choice between a device and processors is on workloads that it has not seen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "selector/evaluate.hpp"
#include "selector/placement.hpp"
#include "selector/time_model.hpp"

namespace mlmq::selector {

/// What a place takes for one search is transfer + search: on the device of the configuration that the selector picks, on
/// processors of the one that is expected to be the fastest. The faster place is that of the smaller sum.
struct place_report {
  /// Relative performance of where a strategy searches: the faster place's sum / that of the strategy's.
  evaluation_report costs;
  /// 1 where the strategy searches at the faster place, else 0.
  evaluation_report right;
  std::size_t on_processors = 0;       ///< workloads for which processors are the faster place, in the first repeat
  std::size_t workloads_left_out = 0;  ///< that only one of the places has on record
  struct error {
    std::string what;    ///< the device's best candidate, or a configuration for processors
    double by_size = 0;  ///< mean over workloads of max(expected / measured, measured / expected), geometric
    double by_features = 0;
    std::size_t workloads = 0;
  };
  std::vector<error> errors;
  transfer_cost transfer;
};

/// Strategies that are in every report.
inline constexpr std::string_view place_by_steps = "as the library";
inline constexpr std::string_view place_by_size = "by size";
inline constexpr std::string_view place_by_features = "by features";
inline constexpr std::string_view place_device = "always the device";
inline constexpr std::string_view place_processors = "always processors";
inline constexpr std::string_view place_oracle = "oracle";

/// Each query of a workload counts by itself here, as it does in the record of processors; what is picked on the device is
/// learned from the means over queries. Cross-validation as in evaluate(): with the workloads of the other folds, those of processors too, candidates are chosen,
/// a model is trained and times are learned; then each workload of the fold gets a place.
/// "by size" and "by features" expect times from the one or the other; "as the library" takes processors by size, and
/// what is left by features, when the workload has been brought to the device. Records are of searches made just before, so
/// nothing is added for first searches.
/// @throws input_error as evaluate(), and when no workload is on record for both
[[nodiscard]] place_report evaluate_place(const training_set& device, const processor_record& processors,
                                          const learning& learned, const evaluation_options& options,
                                          const transfer_cost& transfer);

/// As aligned tables, ending with a newline.
[[nodiscard]] std::string to_table(const place_report& report);

}  // namespace mlmq::selector
