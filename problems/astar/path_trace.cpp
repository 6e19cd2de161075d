// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/path_trace.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.hpp"
#include "problems/astar/length.hpp"

namespace mlmq::astar {
namespace {

/// The end of a path: so many steps in one direction.
struct last_leg {
  std::uint32_t from = 0;
  std::uint32_t steps = 0;
  std::uint8_t direction = 0;
};

/// Looks back along all eight lines at once. A* met the cell beside; jump point search one that is further away. A step
/// is legal when the step back is.
last_leg leg_to(const grid& map, const path_searcher& searched, std::uint32_t cell) {
  const units length = searched.length_at(cell);
  std::array<std::uint32_t, 8> at{};
  at.fill(cell);
  unsigned lines = 0xFF;
  for (std::uint32_t steps = 1; lines != 0; ++steps) {
    for (unsigned left = lines; left != 0; left &= left - 1) {
      const auto d = static_cast<unsigned>(std::countr_zero(left));
      const unsigned back = d ^ 4U;
      if ((map.moves(at[d]) >> back & 1U) == 0) {
        lines &= ~(1U << d);
        continue;
      }
      at[d] = map.after_step(at[d], back);
      const units there = searched.length_at(at[d]);
      if (there != unreachable && there + units{steps} * units_of_step(d) == length)
        return {.from = at[d], .steps = steps, .direction = static_cast<std::uint8_t>(d)};
    }
  }
  throw work_error("a path that was found cannot be followed back");
}

}  // namespace

void append_path(const grid& map, const path_searcher& searched, const cell_pair& asked,
                 std::vector<std::uint8_t>& directions) {
  const auto begin = static_cast<std::ptrdiff_t>(directions.size());
  for (std::uint32_t cell = asked.goal; cell != asked.start;) {
    const last_leg leg = leg_to(map, searched, cell);
    directions.insert(directions.end(), leg.steps, leg.direction);
    cell = leg.from;
  }
  std::reverse(directions.begin() + begin, directions.end());
}

}  // namespace mlmq::astar
