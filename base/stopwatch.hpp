// SPDX-License-Identifier: Apache-2.0
// Measures wall time in milliseconds.
#pragma once

#include <chrono>

namespace mlmq {

/// Returns the wall time since `start`, in milliseconds.
[[nodiscard]] inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the wall time that `work` takes, in milliseconds.
template <class Work>
[[nodiscard]] double milliseconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return milliseconds_since(start);
}

}  // namespace mlmq
