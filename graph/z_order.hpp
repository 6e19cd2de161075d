// SPDX-License-Identifier: Apache-2.0
// Points on a Z-order curve: even bits of the position are x, odd bits are y.
#pragma once

#include <cstdint>

namespace mlmq::graph {

/// Returns every second bit of `code`, starting at bit 0. For a position on the curve this is x; for position >> 1 it
/// is y.
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
