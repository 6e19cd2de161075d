// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "astar/astar_abi.cuh"
#include "base/error.hpp"

namespace mlmq::astar {
namespace {

struct direction {
  int columns;
  int rows;
};

constexpr direction direction_of(unsigned d) {
  return {.columns = static_cast<int>(column_steps >> (2 * d) & 3U) - 1,
          .rows = static_cast<int>(row_steps >> (2 * d) & 3U) - 1};
}

}  // namespace

std::string_view name_of(corner_rule rule) noexcept { return rule == corner_rule::cut ? "cut" : "none"; }

corner_rule corner_rule_from(std::string_view name) {
  if (name == "cut") return corner_rule::cut;
  if (name == "none") return corner_rule::none;
  throw input_error(fmt::format("expected cut or none, got '{}'", name));
}

grid::grid(std::uint32_t width, std::uint32_t height, std::vector<bool> free, corner_rule corners)
    : width_(width),
      height_(height),
      corners_(corners),
      column_bits_(static_cast<unsigned>(std::bit_width(width - 1))),
      free_(std::size_t{height} << column_bits_, false),
      moves_(free_.size(), 0) {
  const auto is_free_at = [&](std::int64_t column, std::int64_t row) {
    return column >= 0 && row >= 0 && column < width && row < height &&
           free[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column)];
  };
  for (unsigned d = 0; d < 8; ++d) {
    const direction step = direction_of(d);
    offsets_[d] = (static_cast<std::uint32_t>(step.rows) << column_bits_) + static_cast<std::uint32_t>(step.columns);
  }
  free_cells_ = static_cast<std::size_t>(std::count(free.begin(), free.end(), true));
  for (std::uint32_t row = 0; row < height; ++row) {
    for (std::uint32_t column = 0; column < width; ++column) {
      if (!is_free_at(column, row)) continue;
      unsigned legal = 0;
      for (unsigned d = 0; d < 8; ++d) {
        const direction step = direction_of(d);
        // Negative sums wrap to numbers outside the map.
        const std::uint32_t next_column = column + static_cast<std::uint32_t>(step.columns);
        const std::uint32_t next_row = row + static_cast<std::uint32_t>(step.rows);
        if (!is_free_at(next_column, next_row)) continue;
        const bool has_free_sides = is_free_at(next_column, row) && is_free_at(column, next_row);
        if (d % 2 == 0 || corners == corner_rule::cut || has_free_sides) legal |= 1U << d;
      }
      free_[cell(column, row)] = true;
      moves_[cell(column, row)] = static_cast<std::uint8_t>(legal);
    }
  }
}

}  // namespace mlmq::astar
