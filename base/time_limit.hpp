// SPDX-License-Identifier: Apache-2.0
// Converts time limits to the units of clocks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace mlmq {

/// Converts a time limit from milliseconds to nanoseconds, at most 10^18 (31 years): the sum with a clock's reading
/// then does not overflow.
[[nodiscard]] inline std::chrono::nanoseconds time_limit_from_ms(double milliseconds) {
  constexpr double longest_ns = 1e18;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(milliseconds * 1e6, longest_ns)));
}

/// Converts a time limit from milliseconds to the whole nanoseconds that kernels take; see time_limit_from_ms().
[[nodiscard]] inline std::uint64_t time_limit_ns_from_ms(double milliseconds) {
  return static_cast<std::uint64_t>(time_limit_from_ms(milliseconds).count());
}

}  // namespace mlmq
