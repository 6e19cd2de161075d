// SPDX-License-Identifier: Apache-2.0
#include "db/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace mlmq::db {

double quantile(std::span<const double> samples, double q) {
  if (samples.empty()) throw std::invalid_argument("no samples to summarise");
  if (!(q >= 0 && q <= 1)) throw std::invalid_argument("a quantile must be between 0 and 1");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  // This form with two products is exact if both neighbours are equal, if share is 0, or if share is 1/2 and the
  // numbers are small.
  return share == 0 ? sorted[below] : sorted[below] * (1 - share) + sorted[above] * share;
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

double relative_spread(std::span<const double> samples) {
  const double range = quantile(samples, 0.75) - quantile(samples, 0.25);
  if (range == 0) return 0;
  const double middle = median(samples);
  return middle == 0 ? std::numeric_limits<double>::infinity() : range / middle;
}

double median_uncertainty(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("no samples to summarise");
  if (samples.size() < 3) return std::numeric_limits<double>::infinity();
  return 1.57 * relative_spread(samples) / std::sqrt(static_cast<double>(samples.size()));
}

}  // namespace mlmq::db
