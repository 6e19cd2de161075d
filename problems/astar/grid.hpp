// SPDX-License-Identifier: Apache-2.0
// Grid maps: free and blocked cells, and which of the eight steps from a cell are legal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mlmq::astar {

/// The rule for diagonal steps past blocked cells.
enum class corner_rule {
  cut,   ///< the target cell must be free
  none,  ///< the target cell and both adjacent cells must be free
};

/// Returns "cut" or "none".
[[nodiscard]] std::string_view name_of(corner_rule rule) noexcept;
/// Parses the name of a rule. @throws input_error for an unknown name
[[nodiscard]] corner_rule corner_rule_from(std::string_view name);

inline constexpr std::uint32_t longest_side = 16384;

/// A grid map. Columns count from the left, rows from the top, both from 0. A cell's number is row << column_bits |
/// column, so numbers have gaps unless the width is a power of two.
class grid {
 public:
  /// @param width, height 1 to longest_side
  /// @param free whether each cell is free, row by row
  grid(std::uint32_t width, std::uint32_t height, std::vector<bool> free, corner_rule corners);

  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint32_t height() const noexcept { return height_; }
  [[nodiscard]] corner_rule corners() const noexcept { return corners_; }
  [[nodiscard]] unsigned column_bits() const noexcept { return column_bits_; }
  /// Returns the size of an array that is indexed by cell numbers, including gaps.
  [[nodiscard]] std::uint32_t numbers() const noexcept { return height_ << column_bits_; }

  [[nodiscard]] std::uint32_t cell(std::uint32_t column, std::uint32_t row) const noexcept {
    return row << column_bits_ | column;
  }
  [[nodiscard]] std::uint32_t column(std::uint32_t cell) const noexcept { return cell & ((1U << column_bits_) - 1); }
  [[nodiscard]] std::uint32_t row(std::uint32_t cell) const noexcept { return cell >> column_bits_; }

  [[nodiscard]] bool is_free(std::uint32_t cell) const noexcept { return free_[cell]; }
  [[nodiscard]] std::size_t free_cells() const noexcept { return free_cells_; }
  /// Returns the legal steps from a cell: bit d is set if the step in direction d of astar_abi.cuh is legal.
  [[nodiscard]] std::uint8_t moves(std::uint32_t cell) const noexcept { return moves_[cell]; }
  [[nodiscard]] const std::vector<std::uint8_t>& all_moves() const noexcept { return moves_; }
  /// Returns the cell after a legal step.
  [[nodiscard]] std::uint32_t after_step(std::uint32_t cell, unsigned direction) const noexcept {
    return cell + offsets_[direction];
  }

 private:
  std::uint32_t width_;
  std::uint32_t height_;
  corner_rule corners_;
  unsigned column_bits_;
  std::size_t free_cells_ = 0;
  std::vector<bool> free_;  // by cell number
  std::vector<std::uint8_t> moves_;
  std::uint32_t offsets_[8];
};

}  // namespace mlmq::astar
