// SPDX-License-Identifier: Apache-2.0
// Inline arithmetic of path lengths, for loops that run once per edge. Equivalent to extend() in csr.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Computes extend() for a weight type known at compile time.
template <weight_type Type>
[[nodiscard]] inline distance_bits extend_by(distance_bits distance, std::uint32_t weight_bits) noexcept {
  if constexpr (Type == weight_type::uint32) {
    const std::uint64_t sum = std::uint64_t{distance} + weight_bits;
    return static_cast<distance_bits>(std::min<std::uint64_t>(sum, saturated_distance));
  } else {
    return std::bit_cast<distance_bits>(std::bit_cast<float>(distance) + std::bit_cast<float>(weight_bits));
  }
}

}  // namespace mlmq::graph
