// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/bucket_astar.hpp"

#include <algorithm>
#include <bit>

namespace mlmq::astar {

units bucket_astar::run(const cell_pair& asked) {
  begin(asked);
  while (!open_.is_empty()) {
    const std::uint32_t cell = open_.take();
    if (open_.bound() >= best_) break;
    const std::uint32_t length = cells_[cell].length;
    const std::uint32_t f = length + estimate(cell);
    if (!open_.is_current(f) || f >= best_) {
      ++work_.stale;
      continue;
    }
    expand(cell, length);
  }
  if (best_ != no_length) return best_;
  // Only very long paths are left out: the oracle has the time for them.
  return left_out_ ? make_searcher("dijkstra", map_)->run(asked) : unreachable;
}

void bucket_astar::begin(const cell_pair& asked) {
  if (++stamp_ == 0) {
    std::fill(cells_.begin(), cells_.end(), known{});
    stamp_ = 1;
  }
  goal_ = asked.goal;
  best_ = asked.start == asked.goal ? 0 : no_length;
  left_out_ = false;
  cells_[asked.start] = {.stamp = stamp_, .length = 0};
  const std::uint32_t least = estimate(asked.start);
  open_.begin(least);
  open_.add(least, asked.start);
}

void bucket_astar::expand(std::uint32_t cell, std::uint32_t length) {
  ++work_.expansions;
  for (unsigned legal = map_.moves(cell); legal != 0; legal &= legal - 1) {
    const auto d = static_cast<unsigned>(std::countr_zero(legal));
    const std::uint32_t target = map_.after_step(cell, d);
    const units total = units{length} + units_of_step(d);
    known& there = cells_[target];
    if (there.stamp == stamp_ && there.length <= total) continue;
    const units f = total + estimate(target);
    if (f >= best_) {
      left_out_ = left_out_ || f >= no_length;
      continue;
    }
    there = {.stamp = stamp_, .length = static_cast<std::uint32_t>(total)};
    if (target == goal_) {
      best_ = there.length;
      continue;
    }
    ++work_.inserted;
    open_.add(static_cast<std::uint32_t>(f), target);
  }
}

}  // namespace mlmq::astar
