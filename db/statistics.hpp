// SPDX-License-Identifier: Apache-2.0
// Robust statistics of the samples of one trial: a first slow launch must not move the reported
// time.
#pragma once

#include <span>

namespace mlmq::db {

/// The q-quantile, 0 <= q <= 1, interpolated linearly between neighbouring samples; any order.
/// @throws std::invalid_argument without samples, or when q is out of range.
[[nodiscard]] double quantile(std::span<const double> samples, double q);

/// The middle sample, or the mean of the two middle ones.
/// @throws std::invalid_argument without samples.
[[nodiscard]] double median(std::span<const double> samples);

/// The interquartile range as a share of the median: 0 for one sample, infinite when only the
/// median is 0.
/// @throws std::invalid_argument without samples.
[[nodiscard]] double relative_spread(std::span<const double> samples);

/// How well the samples tell the median, as a share of it: half the width of the interval that holds it with about 95 %
/// (1.57 interquartile ranges / √samples; McGill, Tukey, Larsen 1978). Infinite for fewer than three samples.
/// @throws std::invalid_argument without samples.
[[nodiscard]] double median_uncertainty(std::span<const double> samples);

}  // namespace mlmq::db
