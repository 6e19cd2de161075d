// SPDX-License-Identifier: Apache-2.0
// Speed of this build and of this machine, for tests that depend on measured times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

namespace mlmq::tests {

/// ThreadSanitizer slows searches on processors down tenfold: they take longer than expected, and are not chosen.
#ifdef __SANITIZE_THREAD__
inline constexpr bool has_usual_speed = false;
#else
inline constexpr bool has_usual_speed = true;
#endif

/// Returns the factor, at least 1, by which this build currently takes longer than a usual one on an idle machine. The
/// machine is measured by the longest of eight runs of a shell, each of which ends within 20 ms on an idle machine.
/// Tests multiply their time limits by it.
inline double slowdown() {
  using clock = std::chrono::steady_clock;
  std::chrono::duration<double> longest(0.02);
  for (int run = 0; run < 8; ++run) {
    const auto start = clock::now();
    if (std::system(":") != 0) break;
    longest = std::max<std::chrono::duration<double>>(longest, clock::now() - start);
  }
  return (has_usual_speed ? 1 : 10) * longest.count() / 0.02;
}

/// Returns the processor time of all threads of this process, in seconds. Unlike elapsed time, it hardly depends on
/// what else the machine does.
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Returns the processor time that all processors spend in a second.
inline double processor_seconds_per_second() {
  return (has_usual_speed ? 1 : 10) * std::max(2.0, static_cast<double>(std::thread::hardware_concurrency()));
}

}  // namespace mlmq::tests
