// SPDX-License-Identifier: Apache-2.0
// Scans of rows and columns for jump points, 64 cells at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problems/astar/grid.hpp"

namespace mlmq::astar {

/// The blocked cells of a map as bits, line by line: rows, or columns. Around the map everything is blocked.
class blocked_lines {
 public:
  enum class along { rows, columns };

  blocked_lines(const grid& map, along lines);

  /// The first place behind `from` on the line at which a straight walk has to stop: the goal, or a cell from which a
  /// shortest path may turn aside because of an obstacle beside it. Nothing when a blocked cell comes first.
  /// @param goal a place on the line, or negative: not on it
  [[nodiscard]] std::optional<std::uint32_t> forwards(std::uint32_t line, std::uint32_t from, std::int64_t goal) const;
  /// The same towards smaller places.
  [[nodiscard]] std::optional<std::uint32_t> backwards(std::uint32_t line, std::uint32_t from, std::int64_t goal) const;

 private:
  using word = std::uint64_t;
  static constexpr unsigned word_bits = 64;
  /// One word of blocked cells lies before each line and one behind it, one line before the first and one after the last.
  static constexpr unsigned border = word_bits;
  /// One more word lies before all of them and one behind: a scan looks one word further than where it stops.
  static constexpr std::size_t margin = 1;

  [[nodiscard]] std::size_t begin_of(std::uint32_t line) const { return margin + (std::size_t{line} + 1) * words_; }
  [[nodiscard]] const word* line_at(std::uint32_t line) const { return &bits_[begin_of(line)]; }

  corner_rule corners_;
  std::size_t words_;  // of a line, with its border
  std::vector<word> bits_;
};

}  // namespace mlmq::astar
