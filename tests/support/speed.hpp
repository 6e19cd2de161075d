// SPDX-License-Identifier: Apache-2.0
// How fast this build and this machine are, for tests that depend on measured times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace mlmq::tests {

/// ThreadSanitizer makes searches on processors ten times as slow: they last longer than expected, and are not chosen.
#ifdef __SANITIZE_THREAD__
inline constexpr bool has_usual_speed = false;
#else
inline constexpr bool has_usual_speed = true;
#endif

/// How many times as long as on an idle machine processes may take now, at least 1: the longest of eight runs of a
/// shell, each of which an idle machine ends within 20 ms. Time limits of tests are multiples of it.
inline double slowdown() {
  using clock = std::chrono::steady_clock;
  std::chrono::duration<double> longest(0.02);
  for (int run = 0; run < 8; ++run) {
    const auto start = clock::now();
    if (std::system(":") != 0) break;
    longest = std::max<std::chrono::duration<double>>(longest, clock::now() - start);
  }
  return longest.count() / 0.02;
}

}  // namespace mlmq::tests
