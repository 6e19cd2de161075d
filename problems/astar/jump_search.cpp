// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/jump_search.hpp"

#include <algorithm>
#include <bit>

namespace mlmq::astar {
namespace {

constexpr unsigned bit(unsigned direction) { return 1U << (direction & 7U); }

/// Components of a direction, -1 to 1.
constexpr int columns_of(unsigned d) { return static_cast<int>(column_steps >> (2 * d) & 3U) - 1; }
constexpr int rows_of(unsigned d) { return static_cast<int>(row_steps >> (2 * d) & 3U) - 1; }

/// Directions in which a diagonal walk always continues.
constexpr unsigned onward_of_diagonal(unsigned d) { return bit(d) | bit(d + 7) | bit(d + 1); }

}  // namespace

units jump_search::run(const cell_pair& pair) {
  if (++stamp_ == 0) {
    std::fill(cells_.begin(), cells_.end(), cell_state{});
    stamp_ = 1;
  }
  goal_ = pair.goal;
  has_overflow_ = false;
  open_.clear();
  open(pair.start, 0, 0xFF);
  while (!open_.is_empty()) {
    const std::uint64_t item = open_.take();
    const auto cell = static_cast<std::uint32_t>(item);
    cell_state& state = cells_[cell];
    const std::uint32_t length = state.length;
    const unsigned onward = state.onward & ~state.done & map_.moves(cell);
    if (length + free_length(map_, cell, goal_) != item >> 32) {
      ++work_.stale;
      continue;
    }
    if (cell == goal_) return length;
    ++work_.expansions;
    state.done = state.onward;
    for (unsigned remaining = onward; remaining != 0; remaining &= remaining - 1) {
      follow(cell, length, static_cast<unsigned>(std::countr_zero(remaining)));
    }
  }
  // Only very long paths are skipped; the slow oracle searches for them.
  return has_overflow_ ? make_searcher("dijkstra", map_)->run(pair) : unreachable;
}

void jump_search::open(std::uint32_t cell, units length, unsigned onward) {
  const units f = length + free_length(map_, cell, goal_);
  if (f >= no_length) {
    has_overflow_ = true;
    return;
  }
  cell_state& state = cells_[cell];
  const auto directions = static_cast<std::uint8_t>(onward);
  if (state.stamp != stamp_ || length < state.length) {
    state = {.stamp = stamp_, .length = static_cast<std::uint32_t>(length), .onward = directions, .done = 0};
  } else if (length == state.length && (directions & ~state.onward) != 0) {
    state.onward |= directions;  // an equally short path that continues in other directions
  } else {
    return;
  }
  ++work_.inserted;
  open_.add(f << 32 | cell);
}

std::optional<std::uint32_t> jump_search::walk_straight(std::uint32_t cell, unsigned direction) const {
  const std::uint32_t column = map_.column(cell);
  const std::uint32_t row = map_.row(cell);
  const bool along_row = direction % 4 == 0;
  const blocked_lines& lines = along_row ? rows_ : columns_;
  const std::uint32_t line = along_row ? row : column;
  const std::uint32_t place = along_row ? column : row;
  std::int64_t goal = -1;
  if (along_row && map_.row(goal_) == row) goal = map_.column(goal_);
  if (!along_row && map_.column(goal_) == column) goal = map_.row(goal_);
  const auto stop = direction < 4 ? lines.forwards(line, place, goal) : lines.backwards(line, place, goal);
  if (!stop) return std::nullopt;
  return along_row ? map_.cell(*stop, row) : map_.cell(column, *stop);
}

unsigned jump_search::turns_of_straight(std::uint32_t cell, unsigned d) const {
  const std::int64_t column = map_.column(cell);
  const std::int64_t row = map_.row(cell);
  unsigned turns = bit(d);
  for (const unsigned side : {(d + 2) & 7U, (d + 6) & 7U}) {
    const std::int64_t beside_column = column + columns_of(side);
    const std::int64_t beside_row = row + rows_of(side);
    const unsigned between = side == ((d + 2) & 7U) ? d + 1 : d + 7;
    if (map_.corners() == corner_rule::cut) {
      if (!is_free(beside_column, beside_row)) turns |= bit(between);
    } else if (is_free(beside_column, beside_row) && !is_free(beside_column - columns_of(d), beside_row - rows_of(d))) {
      turns |= bit(side) | bit(between);
    }
  }
  return turns;
}

unsigned jump_search::turns_of_diagonal(std::uint32_t cell, unsigned d) const {
  unsigned turns = onward_of_diagonal(d);
  if (map_.corners() == corner_rule::none) return turns;
  const std::int64_t column = map_.column(cell);
  const std::int64_t row = map_.row(cell);
  // A diagonal step passes two cells; if one of them is blocked, a shortest path may turn behind it.
  for (const unsigned aside : {(d + 2) & 7U, (d + 6) & 7U}) {
    // The cell between this one and the diagonal neighbour in direction `aside`, on the side from which the walk came.
    const std::int64_t blocked_column = columns_of(aside) == columns_of(d) ? column : column - columns_of(d);
    const std::int64_t blocked_row = rows_of(aside) == rows_of(d) ? row : row - rows_of(d);
    if (!is_free(blocked_column, blocked_row)) turns |= bit(aside);
  }
  return turns;
}

void jump_search::follow(std::uint32_t cell, std::uint32_t length, unsigned d) {
  if (d % 2 == 0) {
    const auto stop = walk_straight(cell, d);
    if (stop) open(*stop, length + free_length(map_, cell, *stop), turns_of_straight(*stop, d));
    return;
  }
  const unsigned always = onward_of_diagonal(d);
  units total = length;
  for (std::uint32_t position = cell; (map_.moves(position) >> d & 1U) != 0;) {
    position = map_.after_step(position, d);
    total += diagonal_step;
    const unsigned turns = turns_of_diagonal(position, d);
    const bool stops = position == goal_ || (turns & ~always & map_.moves(position)) != 0 ||
                       walk_straight(position, (d + 7) & 7U) || walk_straight(position, (d + 1) & 7U);
    if (stops) return open(position, total, turns);
  }
}

}  // namespace mlmq::astar
