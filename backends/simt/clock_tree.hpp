// SPDX-License-Identifier: Apache-2.0
// Tournament tree over the clocks of the warps. Updating a clock takes a logarithmic number of steps, and the earliest
// warp is then known.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/simt/cost_model.hpp"

namespace mlmq::backends::simulator {

class clock_tree {
 public:
  /// Clock of a warp that cannot run.
  static constexpr ticks never = ~ticks{0};

  void reset(std::size_t warps) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(warps, 1));
    clocks_.assign(leaves_, never);
    winners_.assign(leaves_, 0);
    for (std::size_t i = leaves_ - 1; i > 0; --i) winners_[i] = winner(2 * i);
  }
  void set(std::size_t warp, ticks clock) {
    clocks_[warp] = clock;
    for (std::size_t i = (leaves_ + warp) / 2; i > 0; i /= 2) {
      const std::uint32_t left_winner = winner(2 * i);
      const std::uint32_t right = winner(2 * i + 1);
      winners_[i] = clocks_[right] < clocks_[left_winner] ? right : left_winner;
    }
  }
  [[nodiscard]] std::uint32_t first() const { return winner(1); }
  [[nodiscard]] ticks first_clock() const { return clocks_[first()]; }

 private:
  [[nodiscard]] std::uint32_t winner(std::size_t node) const {
    return node >= leaves_ ? static_cast<std::uint32_t>(node - leaves_) : winners_[node];
  }
  std::size_t leaves_ = 1;
  std::vector<ticks> clocks_;
  std::vector<std::uint32_t> winners_;  // per inner node: the earliest warp below it
};

}  // namespace mlmq::backends::simulator
