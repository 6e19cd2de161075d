// SPDX-License-Identifier: Apache-2.0
// Evaluates the choice between a device and processors on workloads that were not used for training.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "selector/evaluate.hpp"
#include "selector/placement.hpp"
#include "selector/strategy_score.hpp"
#include "selector/time_model.hpp"

namespace mlmq::selector {

/// The cost of a place is transfer + search: on the device with the configuration that the selector picks, on
/// processors with the configuration that is expected to be the fastest. The faster place is the one with the smaller
/// sum.
struct place_report {
  /// Relative performance of the place that a strategy chooses: cost of the faster place / cost of the chosen place.
  evaluation_report costs;
  /// 1 if the strategy chooses the faster place, otherwise 0.
  evaluation_report right;
  std::size_t on_processors = 0;       ///< workloads for which processors are the faster place, in the first repeat
  std::size_t workloads_left_out = 0;  ///< workloads with a record for only one of the places
  struct error {
    std::string label;   ///< the device's best candidate, or a configuration for processors
    double by_size = 0;  ///< geometric mean over workloads of max(expected / measured, measured / expected)
    double by_features = 0;
    std::size_t workloads = 0;
  };
  std::vector<error> errors;
  transfer_cost transfer;
};

/// Names of the strategies of every report.
inline constexpr std::string_view place_by_steps = "as the library";
inline constexpr std::string_view place_by_size = "by size";
inline constexpr std::string_view place_by_features = "by features";
inline constexpr std::string_view place_device = "always the device";
inline constexpr std::string_view place_processors = "always processors";
inline constexpr std::string_view place_oracle = "oracle";

/// Cross-validates the choice of the place, with folds like evaluate().
///
/// For each fold, the workloads of the other folds (of the device and of processors) are used to reduce the candidates,
/// to train a model and to fit times; then each workload of the fold is assigned a place. Each query of a workload
/// counts separately, as in the record of processors; the configuration on the device is learned from the means over
/// queries.
///
/// "by size" and "by features" predict times from the one or the other. "as the library" first decides by size whether
/// to search on processors, and otherwise decides by features once the workload is on the device. The recorded searches
/// were warm, so nothing is added for first searches.
/// @throws input_error like evaluate(), and if no workload is on record for both places
[[nodiscard]] place_report evaluate_place(const training_set& device, const processor_record& processors,
                                          const learning& learned, const evaluation_options& options,
                                          const transfer_cost& transfer);

/// Formats the report as aligned tables, ending with a newline.
[[nodiscard]] std::string to_table(const place_report& report);

}  // namespace mlmq::selector
