// SPDX-License-Identifier: Apache-2.0
// One search by one warp: take the open cells with the least f, look at the eight neighbours of each with one lane per
// neighbour, and open those that a shorter path reaches.
//
// Exact mode. A cell that is reached by a shorter path is opened again, so several cells can be expanded at once before
// their lengths are final. An item whose f is not below the goal's current length cannot lead to a shorter path; when
// no other item is left, that length is the minimum.
#pragma once

#include "astar/geometry.cuh"
#include "astar/path_walk.cuh"
#include "astar/search_counts.cuh"
#include "astar/table.cuh"

namespace path_finding {

/// State shared by all searches of a warp.
struct map_view {
  const u8* moves;
  u32 column_bits;

  SIMT_DEVICE u32 legal(u32 cell) const {
    if constexpr (moves_in_shared) return simt::load(moves + cell);
    return simt::load_readonly(moves + cell);
  }
};

/// How a search ended.
struct search_end {
  astar_status status;
  u32 length;
};

/// Tells when a search must stop: checks the clock and the abort word periodically.
class stop_signal {
 public:
  SIMT_DEVICE stop_signal(const astar_control* control, u64 limit_ns)
      : control_(control), end_(simt::clock_ns() + limit_ns) {}

  /// Called by all lanes together.
  SIMT_DEVICE bool is_set() const {
    bool stop = false;
    if (simt::lane() == 0) {
      stop = simt::load_atomic<simt::order::relaxed, simt::scope::device>(&control_->abort) != 0 ||
             simt::clock_ns() >= end_;
    }
    return simt::any(stop);
  }
  /// Like is_set(), but checks only in one of 256 calls; for use in loops.
  SIMT_DEVICE bool check_periodically() { return ++checks_ % 256 == 0 && is_set(); }

 private:
  const astar_control* control_;
  u64 end_;
  u32 checks_ = 0;
};

/// A taken cell; each of the first lanes has one.
struct taken_cell {
  u32 cell;
  u32 word;   ///< table entry of the cell
  u32 legal;  ///< directions to expand; 0: none
};

template <class Table, class Open>
class warp_search {
 public:
  SIMT_DEVICE warp_search(const map_view& map, Table& table, Open& open, search_counts& counts)
      : map_(map), table_(table), open_(open), counts_(counts) {}

  /// Returns the length of the shortest path, or no_length; exact mode only.
  SIMT_DEVICE search_end run(const astar_pair& pair, stop_signal& stop) {
    goal_ = pair.goal;
    best_ = no_length;
    full_ = too_long_ = false;
    counts_.begin_search();
    begin(pair.start);
    if (pair.start == pair.goal) return {astar_status::finished, 0};
    for (;;) {
      if (stop.check_periodically()) return {astar_status::out_of_time, no_length};
      u32 cell = 0;
      const u32 taken = open_.take(best_, cell);
      if (taken == 0) break;
      expand(look_up(cell, taken), taken);
      if (simt::any(full_)) return {astar_status::open_full, no_length};
    }
    // Paths that were dropped as too long exceed 32 bits, but they do exist.
    if (best_ == no_length && simt::any(too_long_)) return {astar_status::length_full, no_length};
    return {astar_status::finished, best_};
  }

 private:
  SIMT_DEVICE u32 estimate(u32 cell) const { return length_of(unobstructed_steps(cell, goal_, map_.column_bits)); }

  SIMT_DEVICE void begin(u32 start) {
    const u32 least = estimate(start);
    open_.begin(least);
    if (simt::lane() == 0) table_.improve(start, 0);
    full_ = !open_.add(simt::lane() == 0, start, least);
    counts_.resize_open(1, 0);
    simt::sync_warp();
  }

  /// Looks up the taken cells. Cells that have a shorter path by now must not be expanded.
  SIMT_DEVICE taken_cell look_up(u32 cell, u32 taken) {
    taken_cell seen{cell, 0, 0};
    if (simt::lane() < taken) {
      const u32 legal = map_.legal(cell);
      seen.word = table_.read(cell);
      const u32 f = seen.word + estimate(cell);
      if (open_.is_current(f) && f < best_) seen.legal = legal;
    }
    if constexpr (counting) {
      const u32 expanded = simt::popcount(simt::ballot(seen.legal != 0));
      counts_.add(astar_count::batches, 1);
      counts_.add(astar_count::expansions, expanded);
      counts_.add(astar_count::stale, taken - expanded);
    }
    return seen;
  }

  SIMT_DEVICE void expand(const taken_cell& seen, u32 taken) {
    const u32 d = simt::lane() % 8;
    const u32 step = (d & 1u) != 0 ? diagonal_step : straight_step;
    const u32 offset = step_of(d, map_.column_bits);
    u32 targets[passes];
    u32 totals[passes];
    bool opened[passes];
    // Issue all memory accesses first, so that the latencies of the passes overlap.
#pragma unroll
    for (u32 pass = 0; pass < passes; ++pass) {
      opened[pass] = false;
      if (pass * cells_in_pass >= taken) continue;
      const u32 owner = pass * cells_in_pass + simt::lane() / 8;
      const bool legal = (simt::shuffle(seen.legal, owner) >> d & 1u) != 0;
      const u32 length = simt::shuffle(seen.word, owner) + step;
      targets[pass] = simt::shuffle(seen.cell, owner) + offset;
      totals[pass] = length + (legal ? estimate(targets[pass]) : 0);
      if (!legal) continue;
      const bool fits = length >= step && totals[pass] >= length;
      too_long_ = too_long_ || !fits;
      if (fits && totals[pass] < best_) opened[pass] = table_.improve(targets[pass], length);
    }
    u32 added = 0;
#pragma unroll
    for (u32 pass = 0; pass < passes; ++pass) {
      if (pass * cells_in_pass >= taken) continue;
      const bool at_goal = opened[pass] && targets[pass] == goal_;
      if (simt::any(at_goal)) best_ = simt::warp_min(at_goal && totals[pass] < best_ ? totals[pass] : best_);
      const bool adds = opened[pass] && totals[pass] < best_;
      if (!open_.add(adds, targets[pass], totals[pass])) full_ = true;
      if constexpr (counting) added += simt::popcount(simt::ballot(adds));
    }
    counts_.add(astar_count::inserted, added);
    counts_.resize_open(added, taken);
    simt::sync_warp();
  }

  const map_view& map_;
  Table& table_;
  Open& open_;
  search_counts& counts_;
  u32 goal_ = 0;
  u32 best_ = no_length;   ///< length of the shortest path to the goal so far
  bool full_ = false;      ///< this lane found the open list full
  bool too_long_ = false;  ///< this lane had a length beyond 32 bits
};

}  // namespace path_finding
