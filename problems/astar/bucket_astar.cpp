// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/bucket_astar.hpp"

#include <algorithm>
#include <bit>

namespace mlmq::astar {

units bucket_astar::run(const cell_pair& pair) {
  begin(pair);
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
  // Only very long paths are skipped; the slow oracle searches for them.
  return has_overflow_ ? make_searcher("dijkstra", map_)->run(pair) : unreachable;
}

void bucket_astar::begin(const cell_pair& pair) {
  if (++stamp_ == 0) {
    std::fill(cells_.begin(), cells_.end(), cell_state{});
    stamp_ = 1;
  }
  goal_ = pair.goal;
  best_ = pair.start == pair.goal ? 0 : no_length;
  has_overflow_ = false;
  cells_[pair.start] = {.stamp = stamp_, .length = 0};
  const std::uint32_t least = estimate(pair.start);
  open_.begin(least);
  open_.add(least, pair.start);
}

void bucket_astar::expand(std::uint32_t cell, std::uint32_t length) {
  ++work_.expansions;
  for (unsigned legal = map_.moves(cell); legal != 0; legal &= legal - 1) {
    const auto d = static_cast<unsigned>(std::countr_zero(legal));
    const std::uint32_t target = map_.after_step(cell, d);
    const units total = units{length} + units_of_step(d);
    cell_state& state = cells_[target];
    if (state.stamp == stamp_ && state.length <= total) continue;
    const units f = total + estimate(target);
    if (f >= best_) {
      has_overflow_ = has_overflow_ || f >= no_length;
      continue;
    }
    state = {.stamp = stamp_, .length = static_cast<std::uint32_t>(total)};
    if (target == goal_) {
      best_ = state.length;
      continue;
    }
    ++work_.inserted;
    open_.add(static_cast<std::uint32_t>(f), target);
  }
}

}  // namespace mlmq::astar
