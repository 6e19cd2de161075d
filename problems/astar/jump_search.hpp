// SPDX-License-Identifier: Apache-2.0
// Jump point search (Harabor and Grastien 2011; 2014 for the rule without corner cutting): A* that follows straight and
// diagonal lines to the next cell at which a shortest path may have to turn, and only opens that cell.
//
// Of several shortest paths between two cells, it keeps the one with diagonal steps first: a walk in a diagonal
// direction d continues in d and in the two straight components of d; a straight walk continues straight, and only
// turns next to obstacles.
#pragma once

#include "problems/astar/heap4.hpp"
#include "problems/astar/jump_scan.hpp"
#include "problems/astar/path_search.hpp"

namespace mlmq::astar {

class jump_search final : public path_searcher {
 public:
  /// @param map must outlive the object
  explicit jump_search(const grid& map)
      : map_(map),
        rows_(map, blocked_lines::along::rows),
        columns_(map, blocked_lines::along::columns),
        cells_(map.numbers()) {}

  [[nodiscard]] units run(const cell_pair& pair) override;
  [[nodiscard]] units length_at(std::uint32_t cell) const override {
    return cells_[cell].stamp == stamp_ ? cells_[cell].length : unreachable;
  }

 private:
  struct cell_state {
    std::uint32_t stamp = 0;
    std::uint32_t length = 0;
    std::uint8_t onward = 0;  ///< directions to follow from here
    std::uint8_t done = 0;    ///< the directions of `onward` that have been followed
  };

  void open(std::uint32_t cell, units length, unsigned onward);
  void follow(std::uint32_t cell, std::uint32_t length, unsigned direction);
  [[nodiscard]] std::optional<std::uint32_t> walk_straight(std::uint32_t cell, unsigned direction) const;
  [[nodiscard]] unsigned turns_of_straight(std::uint32_t cell, unsigned direction) const;
  [[nodiscard]] unsigned turns_of_diagonal(std::uint32_t cell, unsigned direction) const;
  [[nodiscard]] bool is_free(std::int64_t column, std::int64_t row) const {
    return column >= 0 && row >= 0 && column < map_.width() && row < map_.height() &&
           map_.is_free(map_.cell(static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row)));
  }

  const grid& map_;
  blocked_lines rows_;
  blocked_lines columns_;
  std::vector<cell_state> cells_;
  heap4 open_;  // f << 32 | cell
  std::uint32_t stamp_ = 0;
  std::uint32_t goal_ = 0;
  bool has_overflow_ = false;  // whether a length exceeded 32 bits
};

}  // namespace mlmq::astar
