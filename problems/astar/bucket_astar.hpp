// SPDX-License-Identifier: Apache-2.0
// A* over cells with a bucket queue. Lengths have 32 bits; each has a stamp that identifies the search that wrote it.
#pragma once

#include "problems/astar/bucket_ring.hpp"
#include "problems/astar/path_search.hpp"

namespace mlmq::astar {

class bucket_astar final : public path_searcher {
 public:
  /// @param map must outlive the object
  explicit bucket_astar(const grid& map) : map_(map), cells_(map.numbers()) {}

  [[nodiscard]] units run(const cell_pair& pair) override;
  [[nodiscard]] units length_at(std::uint32_t cell) const override {
    return cells_[cell].stamp == stamp_ ? cells_[cell].length : unreachable;
  }

 private:
  struct cell_state {
    std::uint32_t stamp = 0;
    std::uint32_t length = 0;
  };

  void begin(const cell_pair& pair);
  void expand(std::uint32_t cell, std::uint32_t length);
  [[nodiscard]] std::uint32_t estimate(std::uint32_t cell) const noexcept {
    return static_cast<std::uint32_t>(free_length(map_, cell, goal_));
  }

  const grid& map_;
  std::vector<cell_state> cells_;
  bucket_ring<std::uint32_t, 2 * diagonal_step> open_;
  std::uint32_t stamp_ = 0;
  std::uint32_t goal_ = 0;
  std::uint32_t best_ = no_length;  // length of the shortest path to the goal so far
  bool has_overflow_ = false;       // whether a length exceeded 32 bits
};

}  // namespace mlmq::astar
