// SPDX-License-Identifier: Apache-2.0
// Robust statistics of the samples of one trial: a slow first launch must not affect the reported time.
#pragma once

#include <span>

namespace mlmq::db {

/// Returns the q-quantile, 0 <= q <= 1, interpolated linearly between neighbouring samples, which may be in any order.
/// @throws std::invalid_argument without samples, or if q is out of range
[[nodiscard]] double quantile(std::span<const double> samples, double q);

/// Returns the middle sample, or the mean of the two middle ones.
/// @throws std::invalid_argument without samples.
[[nodiscard]] double median(std::span<const double> samples);

/// Returns the interquartile range relative to the median: 0 for one sample, infinite if only the median is 0.
/// @throws std::invalid_argument without samples.
[[nodiscard]] double relative_spread(std::span<const double> samples);

/// Returns the relative uncertainty of the median: half the width of its confidence interval of about 95 % (1.57
/// interquartile ranges / √samples; McGill, Tukey, Larsen 1978). Infinite for fewer than three samples.
/// @throws std::invalid_argument without samples.
[[nodiscard]] double median_uncertainty(std::span<const double> samples);

}  // namespace mlmq::db
