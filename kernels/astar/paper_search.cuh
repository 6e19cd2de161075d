// SPDX-License-Identifier: Apache-2.0
// The search of the paper: it takes cells_at_once cells at a time, ends when the goal is among them, and never opens a
// cell again that is open or closed. Lengths are half floats, and a cell's own length is computed from its f. The path
// found may be longer than the shortest.
#pragma once

#include "astar/search.cuh"

namespace path_finding {

template <class Table, class Open>
class paper_search {
 public:
  SIMT_DEVICE paper_search(const map_view& map, Table& table, Open& open, search_counts& counts)
      : map_(map), table_(table), open_(open), counts_(counts) {}

  /// The length is that of the steps to the goal, not the rounded one.
  SIMT_DEVICE search_end run(const astar_pair& pair, stop_signal& stop) {
    goal_ = pair.goal;
    full_ = false;
    counts_.begin_search();
    begin(pair.start);
    for (;;) {
      if (stop.check_periodically()) return {astar_status::out_of_time, no_length};
      u32 cell = 0;
      const u32 taken = open_.take(no_length, cell);
      if (taken == 0) return {astar_status::finished, no_length};
      if (simt::any(simt::lane() < taken && cell == goal_)) return path_length(pair, stop);
      expand(look_up(cell, taken), taken);
      if (simt::any(full_)) return {astar_status::open_full, no_length};
    }
  }

 private:
  SIMT_DEVICE float estimate(u32 cell) const { return half_length(unobstructed_steps(cell, goal_, map_.column_bits)); }
  /// Returns the key by which the open list orders `f`.
  SIMT_DEVICE static u32 key_of(float f) { return static_cast<u32>(f * static_cast<float>(straight_step)); }
  SIMT_DEVICE static u32 word_of(float f, u32 direction) { return half_bits(f) << 4 | direction; }

  SIMT_DEVICE void begin(u32 start) {
    const float f = estimate(start);
    open_.begin(key_of(f));
    if (simt::lane() == 0) table_.set_first(start, word_of(f, no_direction));
    full_ = !open_.add(simt::lane() == 0, start, key_of(f));
    counts_.resize_open(1, 0);
    simt::sync_warp();
  }

  SIMT_DEVICE taken_cell look_up(u32 cell, u32 taken) {
    taken_cell seen{cell, 0, 0};
    if (simt::lane() < taken) {
      seen.legal = map_.legal(cell);
      seen.word = simt::as_bits(as_half(half_of(table_.read(cell) >> 4) - estimate(cell)));
    }
    counts_.add(astar_count::batches, 1);
    counts_.add(astar_count::expansions, taken);
    counts_.count_expansion(cell, goal_, simt::lane() < taken);
    return seen;
  }

  SIMT_DEVICE void expand(const taken_cell& seen, u32 taken) {
    const u32 d = simt::lane() % 8;
    const float step = as_half((d & 1u) != 0 ? 1.41421356f : 1.0f);
    const u32 offset = step_of(d, map_.column_bits);
    for (u32 pass = 0; pass * cells_in_pass < taken; ++pass) {
      const u32 owner = pass * cells_in_pass + simt::lane() / 8;
      const bool legal = (simt::shuffle(seen.legal, owner) >> d & 1u) != 0;
      const float length = as_half(simt::as_float(simt::shuffle(seen.word, owner)) + step);
      const u32 target = simt::shuffle(seen.cell, owner) + offset;
      float f = 0;
      bool opened = false;
      if (legal) {
        f = as_half(length + estimate(target));
        opened = table_.set_first(target, word_of(f, d));
      }
      if (!open_.add(opened, target, key_of(f))) full_ = true;
      if constexpr (counting) {
        const u32 added = simt::popcount(simt::ballot(opened));
        counts_.add(astar_count::inserted, added);
        counts_.count_insertions(added, taken);
        counts_.resize_open(added, 0);
      }
    }
    counts_.resize_open(0, taken);
    simt::sync_warp();
  }

  SIMT_DEVICE search_end path_length(const astar_pair& pair, stop_signal& stop) const {
    steps counts{0, 0};
    u32 cell = goal_;
    while (cell != pair.start) {
      if (stop.check_periodically()) return {astar_status::out_of_time, no_length};
      const u32 d = recorded_direction(table_, cell);
      ((d & 1u) != 0 ? counts.diagonal : counts.straight) += 1;
      cell -= step_of(d, map_.column_bits);
    }
    const u64 length =
        static_cast<u64>(counts.straight) * straight_step + static_cast<u64>(counts.diagonal) * diagonal_step;
    if (length >= no_length) return {astar_status::length_full, no_length};
    return {astar_status::finished, static_cast<u32>(length)};
  }

  const map_view& map_;
  Table& table_;
  Open& open_;
  search_counts& counts_;
  u32 goal_ = 0;
  bool full_ = false;
};

}  // namespace path_finding
