// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the lengths of paths in a hierarchy.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// For graphs all of whose distances are less than 2^31 - 1. Longer paths are as good as none.
struct short_lengths {
  /// Weight of an arc that no path replaces, and distance of a vertex that is not reached. Two of them can be added.
  static constexpr std::uint32_t no_path = 0x7FFF'FFFF;
  /// Returns at least no_path if one of the arguments is.
  [[nodiscard]] static std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a + b; }
  [[nodiscard]] static bool is_saturated(std::uint32_t) { return false; }
};

/// For all graphs: lengths saturate at saturated_distance, like those of other solvers.
struct long_lengths {
  static constexpr std::uint32_t no_path = unreached;
  [[nodiscard]] static std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
    if (a == no_path || b == no_path) return no_path;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{a} + b, saturated_distance));
  }
  [[nodiscard]] static bool is_saturated(std::uint32_t length) { return length == saturated_distance; }
};

}  // namespace mlmq::graph
