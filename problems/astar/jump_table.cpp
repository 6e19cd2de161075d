// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/jump_table.hpp"

#include "astar/astar_abi.cuh"

namespace mlmq::astar {
namespace {

bool has(unsigned moves, unsigned direction) { return (moves >> (direction & 7U) & 1U) != 0; }

/// Returns whether a walk in direction d may have to turn at a cell with these legal steps because of an adjacent
/// obstacle.
bool turns_aside(unsigned moves, unsigned d, corner_rule corners) {
  const bool cut = corners == corner_rule::cut;
  if (d % 2 == 1)
    return cut && ((!has(moves, d + 3) && has(moves, d + 2)) || (!has(moves, d + 5) && has(moves, d + 6)));
  if (cut) return (!has(moves, d + 2) && has(moves, d + 1)) || (!has(moves, d + 6) && has(moves, d + 7));
  // The cell at the side is free, but not the one behind it, so the diagonal step back is not legal.
  return (has(moves, d + 2) && !has(moves, d + 3)) || (has(moves, d + 6) && !has(moves, d + 5));
}

/// Orders the cells of a line of `count` cells so that each cell follows its neighbour in direction `step`.
std::uint32_t ordered(std::uint32_t i, std::uint32_t count, unsigned step) { return step == 2 ? count - 1 - i : i; }

void fill_direction(const grid& map, unsigned d, std::vector<std::int16_t>& table) {
  const auto entry = [&](std::uint32_t cell, unsigned direction) -> std::int16_t& {
    return table[std::size_t{cell} * 8 + (direction & 7U)];
  };
  for (std::uint32_t i = 0; i < map.height(); ++i) {
    for (std::uint32_t j = 0; j < map.width(); ++j) {
      const std::uint32_t cell = map.cell(ordered(j, map.width(), column_steps >> (2 * d) & 3U),
                                          ordered(i, map.height(), row_steps >> (2 * d) & 3U));
      if (!has(map.moves(cell), d)) continue;
      const std::uint32_t next = map.after_step(cell, d);
      const bool turns = turns_aside(map.moves(next), d, map.corners()) ||
                         (d % 2 == 1 && (entry(next, d + 7) > 0 || entry(next, d + 1) > 0));
      const int beyond = entry(next, d);
      entry(cell, d) = static_cast<std::int16_t>(turns ? 1 : beyond > 0 ? beyond + 1 : beyond - 1);
    }
  }
}

}  // namespace

std::vector<std::int16_t> jump_table_of(const grid& map) {
  std::vector<std::int16_t> table(std::size_t{map.numbers()} * 8, 0);
  for (unsigned d = 0; d < 8; d += 2) fill_direction(map, d, table);
  for (unsigned d = 1; d < 8; d += 2) fill_direction(map, d, table);
  return table;
}

}  // namespace mlmq::astar
