// SPDX-License-Identifier: Apache-2.0
// Heavy-tailed random numbers that are the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/random.hpp"

namespace mlmq::graph {

/// Returns a Pareto number of index 2: at least x with probability (average / 2x)^2 for x >= average / 2. The number is
/// rounded up or down at random so that the average is preserved.
/// @param average at least 0; the actual average is lower by the part that `most` cuts off
[[nodiscard]] inline std::uint64_t heavy_tailed(double average, std::uint64_t most, random_stream& random) noexcept {
  const double uniform = (static_cast<double>(random.next() >> 32) + 1.0) / 4294967296.0;
  const double number = std::min(average / 2.0 / std::sqrt(uniform), static_cast<double>(most));
  const double whole = std::floor(number);
  return static_cast<std::uint64_t>(whole) + ((random.next() >> 32) < share_of_32_bits(number - whole) ? 1 : 0);
}

}  // namespace mlmq::graph
