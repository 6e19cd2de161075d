// SPDX-License-Identifier: Apache-2.0
// Grid maps: free and blocked cells, and which of the eight steps from a cell are legal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mlmq::astar {

/// Whether a diagonal step may pass a blocked cell on one side (or both).
enum class corner_rule {
  cut,   ///< it needs its end free
  none,  ///< and both cells beside it
};

/// "cut" or "none".
[[nodiscard]] std::string_view name_of(corner_rule rule) noexcept;
/// @throws input_error for another name
[[nodiscard]] corner_rule corner_rule_from(std::string_view name);

inline constexpr std::uint32_t longest_side = 16384;

/// Columns count from the left, rows from the top, both from 0. A cell's number is row << column_bits | column, so numbers
/// have gaps where the width is not a power of two.
class grid {
 public:
  /// @param free of each cell, row by row: whether it is free. Both sides are 1 to longest_side.
  grid(std::uint32_t width, std::uint32_t height, std::vector<bool> free, corner_rule corners);

  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint32_t height() const noexcept { return height_; }
  [[nodiscard]] corner_rule corners() const noexcept { return corners_; }
  [[nodiscard]] unsigned column_bits() const noexcept { return column_bits_; }
  /// One more than the largest number of a cell, gaps included.
  [[nodiscard]] std::uint32_t numbers() const noexcept { return height_ << column_bits_; }

  [[nodiscard]] std::uint32_t cell(std::uint32_t column, std::uint32_t row) const noexcept {
    return row << column_bits_ | column;
  }
  [[nodiscard]] std::uint32_t column(std::uint32_t cell) const noexcept { return cell & ((1U << column_bits_) - 1); }
  [[nodiscard]] std::uint32_t row(std::uint32_t cell) const noexcept { return cell >> column_bits_; }

  [[nodiscard]] bool is_free(std::uint32_t cell) const noexcept { return free_[cell]; }
  [[nodiscard]] std::size_t free_cells() const noexcept { return free_cells_; }
  /// Bit d is set when the step in direction d is legal; the directions are those of astar_abi.cuh.
  [[nodiscard]] std::uint8_t moves(std::uint32_t cell) const noexcept { return moves_[cell]; }
  [[nodiscard]] const std::vector<std::uint8_t>& all_moves() const noexcept { return moves_; }
  /// The cell after a legal step.
  [[nodiscard]] std::uint32_t after_step(std::uint32_t cell, unsigned direction) const noexcept {
    return cell + offsets_[direction];
  }

 private:
  std::uint32_t width_;
  std::uint32_t height_;
  corner_rule corners_;
  unsigned column_bits_;
  std::size_t free_cells_ = 0;
  std::vector<bool> free_;  // by number
  std::vector<std::uint8_t> moves_;
  std::uint32_t offsets_[8];
};

}  // namespace mlmq::astar
