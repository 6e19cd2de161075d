// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/bucket_clock.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mlmq::phold {

bucket_clock bucket_clock::make(std::uint64_t lookahead, std::uint64_t end, std::uint32_t parts) {
  constexpr int shortened_bits = 31;
  bucket_clock clock;
  clock.buckets_per_window = parts;
  clock.time_shift = static_cast<std::uint32_t>(std::max(0, static_cast<int>(std::bit_width(end)) - shortened_bits));
  // Rounded so that windows never exceed the lookahead.
  const std::uint64_t window = lookahead >> clock.time_shift;
  const std::uint64_t dividend = std::uint64_t{parts} << 32U;
  if (window <= parts) return clock;
  clock.factor = static_cast<std::uint32_t>((dividend + window - 1) / window);
  return clock;
}

double densest(const model_settings& settings, double span) {
  // At the start no event waits for the lookahead.
  return static_cast<double>(settings.events) * -std::expm1(-settings.rate * span);
}

std::uint32_t ring_buckets(const model_settings& settings, double width, std::uint32_t parts, std::uint64_t most) {
  // A fraction of e^-10 of the delays is longer.
  constexpr double mean_delays = 10;
  const double needed = (settings.lookahead + mean_delays / settings.rate) / width + parts;
  const std::uint64_t limit = std::bit_floor(std::max<std::uint64_t>(2 * std::uint64_t{parts}, most));
  const double bounded = std::min(needed, static_cast<double>(limit));
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::bit_ceil(static_cast<std::uint64_t>(bounded)), 2 * std::uint64_t{parts}, limit));
}

}  // namespace mlmq::phold
