// SPDX-License-Identifier: Apache-2.0
// Points of the plane by their place on a Z-order curve: bits of x at even places, of y at odd ones.
#pragma once

#include <cstdint>

namespace mlmq::graph {

/// Every second bit of `code`, from bit 0 on: x, or of code >> 1: y.
[[nodiscard]] constexpr std::int32_t even_bits(std::uint64_t code) noexcept {
  code &= 0x5555555555555555u;
  code = (code | (code >> 1)) & 0x3333333333333333u;
  code = (code | (code >> 2)) & 0x0F0F0F0F0F0F0F0Fu;
  code = (code | (code >> 4)) & 0x00FF00FF00FF00FFu;
  code = (code | (code >> 8)) & 0x0000FFFF0000FFFFu;
  code = (code | (code >> 16)) & 0x00000000FFFFFFFFu;
  return static_cast<std::int32_t>(code);
}

}  // namespace mlmq::graph
