// SPDX-License-Identifier: Apache-2.0
// Expected times in an exported header.
#pragma once

#include <span>
#include <string>

#include "selector/time_model.hpp"

namespace mlmq::selector {

/// The part of a header that expects times, inside its namespace:
///   inline constexpr std::size_t time_count;        // the best candidate on the device first; 0: the model has no times
///   inline constexpr const char time_problem[], time_processors[];
///   inline constexpr unsigned time_processor_threads;
///   constexpr const char* time_label(std::size_t i);                     // of i above 0, for processors
///   struct calibration { std::size_t time; const char* graph; unsigned long long source; double milliseconds; };
///   inline constexpr std::size_t calibration_count; inline constexpr calibration calibrations[];
///   inline void expected_by_size(double vertices, double edges, double* milliseconds);
///   inline void expected_times(const float* graph_features, double vertices, double edges, double* milliseconds);
/// The numbers are those of time_fit::milliseconds(), bit for bit.
/// @param asked what the header's graph_features are
/// @throws input_error when the times need a feature that is not among them, or are inconsistent
[[nodiscard]] std::string times_text(const time_model* times, std::span<const std::string> asked);

}  // namespace mlmq::selector
