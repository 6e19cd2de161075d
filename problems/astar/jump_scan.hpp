// SPDX-License-Identifier: Apache-2.0
// Scans of rows and columns for jump points, 64 cells at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problems/astar/grid.hpp"

namespace mlmq::astar {

/// The blocked cells of a map as bits, by rows or by columns. Cells outside the map are blocked.
class blocked_lines {
 public:
  enum class along { rows, columns };

  blocked_lines(const grid& map, along lines);

  /// Returns the first place after `origin` on the line at which a straight walk has to stop: the goal, or a cell at
  /// which a shortest path may turn because of an adjacent obstacle. Returns nothing if a blocked cell comes first.
  /// @param goal a place on the line; negative if the goal is not on it
  [[nodiscard]] std::optional<std::uint32_t> forwards(std::uint32_t line, std::uint32_t origin,
                                                      std::int64_t goal) const;
  /// Like forwards(), towards smaller places.
  [[nodiscard]] std::optional<std::uint32_t> backwards(std::uint32_t line, std::uint32_t origin,
                                                       std::int64_t goal) const;

 private:
  using word = std::uint64_t;
  static constexpr unsigned word_bits = 64;
  /// Each line has a word of blocked cells before and after it; the first and last line have a blocked line next to
  /// them.
  static constexpr unsigned border = word_bits;
  /// One more word precedes and follows all lines, because a scan reads one word beyond its end.
  static constexpr std::size_t margin = 1;

  [[nodiscard]] std::size_t begin_of(std::uint32_t line) const { return margin + (std::size_t{line} + 1) * words_; }
  [[nodiscard]] const word* line_at(std::uint32_t line) const { return &bits_[begin_of(line)]; }

  corner_rule corners_;
  std::size_t words_;  // words per line, including the border
  std::vector<word> bits_;
};

}  // namespace mlmq::astar
