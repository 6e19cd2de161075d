// SPDX-License-Identifier: Apache-2.0
// A* over cells with a bucket queue. Lengths have 32 bits, and a stamp beside them says which search wrote them.
#pragma once

#include "problems/astar/bucket_ring.hpp"
#include "problems/astar/path_search.hpp"

namespace mlmq::astar {

class bucket_astar final : public path_searcher {
 public:
  /// The map outlives it.
  explicit bucket_astar(const grid& map) : map_(map), cells_(map.numbers()) {}

  [[nodiscard]] units run(const cell_pair& asked) override;
  [[nodiscard]] units length_at(std::uint32_t cell) const override {
    return cells_[cell].stamp == stamp_ ? cells_[cell].length : unreachable;
  }

 private:
  struct known {
    std::uint32_t stamp = 0;
    std::uint32_t length = 0;
  };

  void begin(const cell_pair& asked);
  void expand(std::uint32_t cell, std::uint32_t length);
  [[nodiscard]] std::uint32_t estimate(std::uint32_t cell) const noexcept {
    return static_cast<std::uint32_t>(free_length(map_, cell, goal_));
  }

  const grid& map_;
  std::vector<known> cells_;
  bucket_ring<std::uint32_t, 2 * diagonal_step> open_;
  std::uint32_t stamp_ = 0;
  std::uint32_t goal_ = 0;
  std::uint32_t best_ = no_length;  // length of the shortest path to the goal so far
  bool left_out_ = false;           // a length beyond 32 bits
};

}  // namespace mlmq::astar
