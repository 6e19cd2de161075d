// SPDX-License-Identifier: Apache-2.0
// The search of the paper: it takes cells_at_once cells at a time, ends when the goal is among them, and never opens a
// cell again that is open or closed. Of several paths to a cell that one step opens the shortest is kept. Lengths are
// half floats, and a cell's own length is computed from its f. The path found may be longer than the shortest.
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
    if (simt::lane() == 0) table_.improve(start, word_of(f, no_direction));
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

  /// A neighbour of a cell that is expanded.
  struct neighbour {
    u32 cell;
    u32 word;  ///< of the table, with the path through the expanded cell
    float f;
    bool legal;
  };

  /// Warp collective: returns this lane's neighbour in a pass over the cells that are expanded together.
  SIMT_DEVICE neighbour neighbour_in(u32 pass, const taken_cell& seen) const {
    const u32 d = simt::lane() % 8;
    const float step = as_half((d & 1u) != 0 ? 1.41421356f : 1.0f);
    const u32 owner = pass * cells_in_pass + simt::lane() / 8;
    neighbour next_cell{.cell = simt::shuffle(seen.cell, owner) + step_of(d, map_.column_bits),
                        .word = unknown,
                        .f = 0,
                        .legal = (simt::shuffle(seen.legal, owner) >> d & 1u) != 0};
    const float length = as_half(simt::as_float(simt::shuffle(seen.word, owner)) + step);
    if (next_cell.legal) {
      next_cell.f = as_half(length + estimate(next_cell.cell));
      next_cell.word = word_of(next_cell.f, d);
    }
    return next_cell;
  }

  /// Opens the neighbours that are neither open nor closed. Of several paths to one of them the shortest counts.
  SIMT_DEVICE void expand(const taken_cell& seen, u32 taken) {
    const u32 needed_passes = (taken + cells_in_pass - 1) / cells_in_pass;
    u32 is_new = 0;  // bit p: this lane's neighbour in pass p
    for (u32 pass = 0; pass < needed_passes; ++pass) {
      const neighbour next_cell = neighbour_in(pass, seen);
      if (next_cell.legal && table_.read(next_cell.cell) == unknown) is_new |= 1u << pass;
    }
    simt::sync_warp();
    for (u32 pass = 0; pass < needed_passes; ++pass) {
      const neighbour next_cell = neighbour_in(pass, seen);
      if ((is_new >> pass & 1u) != 0) table_.improve(next_cell.cell, next_cell.word);
    }
    simt::sync_warp();
    for (u32 pass = 0; pass < needed_passes; ++pass) {
      const neighbour next_cell = neighbour_in(pass, seen);
      const bool opened = (is_new >> pass & 1u) != 0 && table_.read(next_cell.cell) == next_cell.word;
      if (!open_.add(opened, next_cell.cell, key_of(next_cell.f))) full_ = true;
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
