// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/path_trace.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.hpp"
#include "problems/astar/length.hpp"

namespace mlmq::astar {
namespace {

/// The end of a path: steps in one direction.
struct last_leg {
  std::uint32_t start = 0;
  std::uint32_t steps = 0;
  std::uint8_t direction = 0;
};

/// Searches backwards along all eight lines at once. A* has met the adjacent cell, jump point search one further away.
/// A step is legal if the reverse step is.
last_leg leg_to(const grid& map, const path_searcher& searched, std::uint32_t cell) {
  const units length = searched.length_at(cell);
  std::array<std::uint32_t, 8> cells{};
  cells.fill(cell);
  unsigned lines = 0xFF;
  for (std::uint32_t steps = 1; lines != 0; ++steps) {
    for (unsigned remaining = lines; remaining != 0; remaining &= remaining - 1) {
      const auto d = static_cast<unsigned>(std::countr_zero(remaining));
      const unsigned back = d ^ 4U;
      if ((map.moves(cells[d]) >> back & 1U) == 0) {
        lines &= ~(1U << d);
        continue;
      }
      cells[d] = map.after_step(cells[d], back);
      const units cell_length = searched.length_at(cells[d]);
      if (cell_length != unreachable && cell_length + units{steps} * units_of_step(d) == length)
        return {.start = cells[d], .steps = steps, .direction = static_cast<std::uint8_t>(d)};
    }
  }
  throw work_error("a path that was found cannot be traced back");
}

}  // namespace

void append_path(const grid& map, const path_searcher& searched, const cell_pair& pair,
                 std::vector<std::uint8_t>& directions) {
  const auto begin = static_cast<std::ptrdiff_t>(directions.size());
  for (std::uint32_t cell = pair.goal; cell != pair.start;) {
    const last_leg leg = leg_to(map, searched, cell);
    directions.insert(directions.end(), leg.steps, leg.direction);
    cell = leg.start;
  }
  std::reverse(directions.begin() + begin, directions.end());
}

}  // namespace mlmq::astar
