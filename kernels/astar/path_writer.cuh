// SPDX-License-Identifier: Apache-2.0
// Writes the path of a search that has found its goal, from the goal back to the start, by all lanes of the warp
// together.
#pragma once

#include "astar/jump_map.cuh"
#include "astar/path_walk.cuh"
#include "astar/search.cuh"

namespace path_finding {

/// Position and room of one path in `paths`.
class path_writer {
 public:
  SIMT_DEVICE path_writer(const astar_arguments& arguments, u32 search, u32 length) : paths_(arguments.paths) {
    const steps counts = counts_of(length);
    remaining_ = counts.straight + counts.diagonal;
    if (simt::lane() == 0) {
      begin_ = simt::atomic_add<simt::order::relaxed, simt::scope::device>(&arguments.control->path_steps,
                                                                           static_cast<u64>(remaining_));
      simt::store(arguments.path_begins + search, begin_);
    }
    begin_ = simt::shuffle(begin_, 0);
    fits_ = begin_ + remaining_ <= arguments.path_room;
  }

  SIMT_DEVICE bool fits() const { return fits_; }
  SIMT_DEVICE u32 remaining() const { return remaining_; }
  /// Writes the last `count` unwritten steps, all in direction d.
  SIMT_DEVICE void write(u32 d, u32 count) {
    for (u32 i = simt::lane(); i < count; i += simt::warp_size) {
      simt::store(paths_ + begin_ + (remaining_ - 1 - i), static_cast<u8>(d));
    }
    remaining_ -= count;
  }

 private:
  u8* paths_;
  u64 begin_ = 0;
  u32 remaining_ = 0;
  bool fits_ = false;
};

/// @return finished, paths_full or out_of_time
template <class Table>
SIMT_DEVICE astar_status write_path(const map_view& map, const Table& table, u32 goal, path_writer& path,
                                    stop_signal& stop) {
  if (!path.fits()) return astar_status::paths_full;
  u32 cell = goal;
  while (path.remaining() > 0) {
    if (stop.check_periodically()) return astar_status::out_of_time;
    u32 d;
    if constexpr (exact_mode) {
      d = entry_direction(table, cell, map.legal(cell), map.column_bits);
    } else {
      d = recorded_direction(table, cell);
    }
    path.write(d, 1);
    cell -= step_of(d, map.column_bits);
  }
  return astar_status::finished;
}

/// Overload for a jump search, whose map only has the cells where walks ended. Lane d + 8 k looks at the cell k + 1
/// steps before `cell` in direction d, and 4 steps further in each round, until one of these cells has a length that
/// fits.
SIMT_DEVICE astar_status write_jump_path(const map_view& map, u32 cells, const jump_map& reached_cells, u32 goal,
                                         path_writer& path, stop_signal& stop) {
  if (!path.fits()) return astar_status::paths_full;
  const u32 d = simt::lane() % 8;
  const u32 back = d ^ 4u;
  const u32 step = (d & 1u) != 0 ? diagonal_step : straight_step;
  const u32 behind = step_of(back, map.column_bits);
  const u32 same_direction = 0x01010101u << d;
  u32 cell = goal;
  u32 length = reached_cells.read(cell).length;
  while (path.remaining() > 0) {
    u32 steps_back = simt::lane() / 8;
    u32 nearest = cell + steps_back * behind;  // cell in which the lane's step begins
    bool is_open = true;                       // whether the way from `cell` to `nearest` is free
    for (;;) {
      if (stop.check_periodically()) return astar_status::out_of_time;
      // The cell of a lane whose path is blocked earlier may be off the map.
      const bool legal = is_open && nearest < cells && (map.legal(nearest) >> back & 1u) != 0;
      const u32 blocked = simt::ballot(!legal) & same_direction;
      const u32 up_to_here = simt::lanes_below() | 1u << simt::lane();
      const u32 before = nearest + behind;
      const u64 walked = static_cast<u64>(steps_back + 1) * step;
      u32 length_before = no_length;
      if ((blocked & up_to_here) == 0) length_before = reached_cells.read(before).length;
      const u32 matches = simt::ballot(length_before != no_length && length_before + walked == length);
      if (matches != 0) {
        const u32 match_lane = simt::first_set(matches);
        path.write(simt::shuffle(d, match_lane), simt::shuffle(steps_back, match_lane) + 1);
        cell = simt::shuffle(before, match_lane);
        length = simt::shuffle(length_before, match_lane);
        break;
      }
      is_open = is_open && blocked == 0;
      if (!simt::any(is_open)) return astar_status::out_of_time;  // the path has no beginning
      steps_back += 4;
      nearest += 4 * behind;
    }
  }
  return astar_status::finished;
}

}  // namespace path_finding
