// SPDX-License-Identifier: Apache-2.0
// Computes powers that are the same on every machine.
#pragma once

#include <cmath>

namespace mlmq::graph {

/// Returns base^power for base >= 1 and 0 <= power < 1. Uses only square roots and products, which IEEE 754 rounds the
/// same way on every machine (std::pow may differ in the last bit). The power is truncated to a multiple of 2^-24.
[[nodiscard]] inline double portable_power(double base, double power) noexcept {
  double result = 1;
  for (int bit = 0; bit < 24; ++bit) {
    base = std::sqrt(base);
    power *= 2;
    if (power >= 1) {
      power -= 1;
      result *= base;
    }
  }
  return result;
}

}  // namespace mlmq::graph
