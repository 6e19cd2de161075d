// SPDX-License-Identifier: Apache-2.0
// Exact lengths of paths: counts of straight and diagonal steps. Kernels store them as one 32-bit number, see
// astar_abi.cuh.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "astar/astar_abi.cuh"

namespace mlmq::astar {

/// A length in units; a straight step has straight_step units. 64-bit sums do not overflow.
using units = std::uint64_t;

struct step_counts {
  std::uint32_t straight = 0;
  std::uint32_t diagonal = 0;

  bool operator==(const step_counts&) const = default;
  [[nodiscard]] double length() const { return straight + diagonal * std::sqrt(2.0); }
};

[[nodiscard]] constexpr units units_of(const step_counts& counts) noexcept {
  return units{counts.straight} * straight_step + units{counts.diagonal} * diagonal_step;
}

/// Returns the step counts of a length below 2^32 units.
[[nodiscard]] constexpr step_counts counts_of_units(std::uint32_t length) noexcept {
  const auto diagonal = static_cast<std::uint32_t>(units{length} * diagonal_inverse % straight_step);
  return {.straight = (length - diagonal * diagonal_step) / straight_step, .diagonal = diagonal};
}

/// Returns the length of a step.
[[nodiscard]] constexpr std::uint32_t units_of_step(unsigned direction) noexcept {
  return direction % 2 == 0 ? straight_step : diagonal_step;
}

}  // namespace mlmq::astar
