// SPDX-License-Identifier: Apache-2.0
// Jump point search by one warp, with a table of the lengths of walks. (The jump points are those of Harabor and
// Grastien, the table is that of Rabin and Sturtevant's JPS+.) A lane follows one direction from one of the taken
// cells: one word of the table says where the walk ends, so one load per lane expands four cells, however long their
// walks are.
//
// An item of the open list is a cell with the direction in which it was entered. Lengths, reopening of cells and the
// end of the search are as in warp_search.
#pragma once

#include "astar/geometry.cuh"
#include "astar/jump_map.cuh"
#include "astar/jump_rules.cuh"
#include "astar/search.cuh"

namespace path_finding {

template <class Open>
class jump_search {
 public:
  /// @param jumps for each cell and direction: steps to the next jump point, or minus the steps until the path is
  /// blocked
  SIMT_DEVICE jump_search(const map_view& map, const short* jumps, jump_map& reached_cells, Open& open,
                          search_counts& counts)
      : map_(map), jumps_(jumps), reached_cells_(reached_cells), open_(open), counts_(counts) {}

  SIMT_DEVICE search_end run(const astar_pair& pair, stop_signal& stop) {
    goal_ = pair.goal;
    best_ = no_length;
    full_ = too_long_ = false;
    counts_.begin_search();
    begin(pair.start);
    if (pair.start == pair.goal) return {astar_status::finished, 0};
    for (;;) {
      if (stop.check_periodically()) return {astar_status::out_of_time, no_length};
      u32 item = 0;
      const u32 taken = open_.take(best_, item);
      if (taken == 0) break;
      expand(look_up(item, taken), taken);
      if (simt::any(full_)) return {astar_status::open_full, no_length};
    }
    if (best_ == no_length && simt::any(too_long_)) return {astar_status::length_full, no_length};
    return {astar_status::finished, best_};
  }

 private:
  SIMT_DEVICE u32 estimate(u32 cell) const { return length_of(unobstructed_steps(cell, goal_, map_.column_bits)); }
  SIMT_DEVICE static u32 item_of(u32 cell, u32 direction) { return cell << 4 | direction; }

  SIMT_DEVICE void begin(u32 start) {
    const u32 least = estimate(start);
    open_.begin(least);
    if (simt::lane() == 0) reached_cells_.reach(start, 0, 0xFFu);
    full_ = !open_.add(simt::lane() == 0, item_of(start, no_direction), least);
    counts_.resize_open(1, 0);
    simt::sync_warp();
  }

  /// Looks up the taken cells and the directions to follow from them.
  SIMT_DEVICE taken_cell look_up(u32 item, u32 taken) {
    taken_cell seen{item >> 4, 0, 0};
    bool later = false;
    u32 f = 0;
    u32 open = 0;
    if (simt::lane() < taken) {
      const u32 legal = map_.legal(seen.cell);
      const jump_map::entry entry = reached_cells_.read(seen.cell);
      seen.word = entry.length;
      open = entry.open;
      f = entry.length + estimate(seen.cell);
      later = open_.is_later(f);
      if (open_.is_current(f) && f < best_) seen.legal = successor_directions(legal, item & 0xFu) & open;
    }
    const u32 followed = share_directions(seen);
    simt::sync_warp();  // all lanes have read the words
    if (followed != 0) reached_cells_.store(seen.cell, {seen.word, open & ~followed});
    // These items lay beyond the ring and were put into its last bucket.
    if (!open_.add(later, item, f)) full_ = true;
    if constexpr (counting) {
      const u32 expanded = simt::popcount(simt::ballot(seen.legal != 0));
      const u32 waiting = simt::popcount(simt::ballot(later));
      counts_.add(astar_count::batches, 1);
      counts_.add(astar_count::expansions, expanded);
      counts_.add(astar_count::stale, taken - expanded - waiting);
      counts_.resize_open(waiting, 0);
    }
    simt::sync_warp();  // before other lanes reach these cells
    return seen;
  }

  /// If several lanes have the same cell, the lowest lane that has a direction follows it.
  /// @return all directions that are followed from the lane's cell
  SIMT_DEVICE static u32 share_directions(taken_cell& seen) {
    const u32 lane = simt::lane();
    const u32 own_directions = seen.legal;
    u32 followed = own_directions;
    u32 peers = simt::match_any(own_directions != 0 ? seen.cell : ~lane) & ~(1u << lane);
    while (simt::any(peers != 0)) {
      const u32 peer = peers != 0 ? simt::first_set(peers) : lane;
      const u32 peer_directions = simt::shuffle(own_directions, peer);
      followed |= peer_directions;
      if (peer < lane) seen.legal &= ~peer_directions;
      peers &= peers - 1;
    }
    return followed;
  }

  SIMT_DEVICE void expand(const taken_cell& seen, u32 taken) {
    const u32 d = simt::lane() % 8;
    const u32 step = (d & 1u) != 0 ? diagonal_step : straight_step;
    const u32 offset = step_of(d, map_.column_bits);
    u32 targets[passes];
    u32 totals[passes];
    bool opened[passes];
#pragma unroll
    for (u32 pass = 0; pass < passes; ++pass) {
      opened[pass] = false;
      if (pass * cells_in_pass >= taken) continue;
      const u32 owner = pass * cells_in_pass + simt::lane() / 8;
      const bool follows = (simt::shuffle(seen.legal, owner) >> d & 1u) != 0;
      const u32 start_length = simt::shuffle(seen.word, owner);
      const u32 cell = simt::shuffle(seen.cell, owner);
      targets[pass] = totals[pass] = 0;
      if (!follows) continue;
      const u32 walked = steps_to_turn(cell, d);
      if (walked == 0) continue;
      targets[pass] = cell + walked * offset;
      const u64 length = start_length + static_cast<u64>(walked) * step;
      const u64 total = length + estimate(targets[pass]);
      too_long_ = too_long_ || total >= no_length;
      if (total >= best_) continue;
      totals[pass] = static_cast<u32>(total);
      opened[pass] = reached_cells_.reach(targets[pass], static_cast<u32>(length),
                                          successor_directions(map_.legal(targets[pass]), d));
    }
    u32 added = 0;
#pragma unroll
    for (u32 pass = 0; pass < passes; ++pass) {
      if (pass * cells_in_pass >= taken) continue;
      const bool at_goal = opened[pass] && targets[pass] == goal_;
      if (simt::any(at_goal)) best_ = simt::warp_min(at_goal && totals[pass] < best_ ? totals[pass] : best_);
      const bool adds = opened[pass] && totals[pass] < best_;
      if (!open_.add(adds, item_of(targets[pass], d), totals[pass])) full_ = true;
      if constexpr (counting) added += simt::popcount(simt::ballot(adds));
    }
    counts_.add(astar_count::inserted, added);
    counts_.resize_open(added, taken);
    simt::sync_warp();
  }

  /// Returns the number of steps in direction d to the next cell at which a shortest path may have to turn, possibly
  /// towards the goal; 0 if there is none.
  SIMT_DEVICE u32 steps_to_turn(u32 cell, u32 d) const {
    const int jump = simt::load_readonly(jumps_ + (static_cast<u64>(cell) * 8 + d));
    const int reach = jump < 0 ? -jump : jump;
    const int columns = static_cast<int>((column_steps >> (2 * d)) & 3u) - 1;
    const int rows = static_cast<int>((row_steps >> (2 * d)) & 3u) - 1;
    const int right =
        static_cast<int>(column_of(goal_, map_.column_bits)) - static_cast<int>(column_of(cell, map_.column_bits));
    const int down =
        static_cast<int>(row_of(goal_, map_.column_bits)) - static_cast<int>(row_of(cell, map_.column_bits));
    // Steps after which the goal lies straight ahead or is reached; 0: never.
    int towards = 0;
    if (columns != 0 && rows != 0) {
      const int ahead = right * columns;
      const int below = down * rows;
      if (ahead > 0 && below > 0) towards = ahead < below ? ahead : below;
    } else if (columns != 0) {
      if (down == 0) towards = right * columns;
    } else {
      if (right == 0) towards = down * rows;
    }
    if (towards > 0 && towards <= reach) return static_cast<u32>(towards);
    return jump > 0 ? static_cast<u32>(jump) : 0;
  }

  const map_view& map_;
  const short* jumps_;
  jump_map& reached_cells_;
  Open& open_;
  search_counts& counts_;
  u32 goal_ = 0;
  u32 best_ = no_length;
  bool full_ = false;
  bool too_long_ = false;
};

}  // namespace path_finding
