// SPDX-License-Identifier: Apache-2.0
// Walks back from the goal, by all lanes of the warp together.
#pragma once

#include "astar/geometry.cuh"
#include "astar/table.cuh"

namespace path_finding {

/// Returns the direction in which a shortest path enters `cell`, given the table entries of its neighbours. The cell
/// got its length from a neighbour whose length may have decreased since then, but never increased. The neighbour that
/// gives the shortest path is therefore on a path that is not longer than the cell's length.
/// @param legal directions in which `cell` can be left; the opposite directions are those in which it can be entered
template <class Table>
SIMT_DEVICE u32 entry_direction(const Table& table, u32 cell, u32 legal, u32 column_bits) {
  const u32 back = simt::lane() % 8;
  u32 length = no_length;
  if (simt::lane() < 8 && (legal >> back & 1u) != 0) {
    const u32 before = table.read(cell + step_of(back, column_bits));
    const u32 step = (back & 1u) != 0 ? diagonal_step : straight_step;
    if (before < no_length - step) length = before + step;
  }
  const u32 least = simt::warp_min(length);
  return simt::first_set(simt::ballot(length == least)) ^ 4u;
}

/// Returns the direction in which the path enters the cell, which the table records in paper mode.
template <class Table>
SIMT_DEVICE u32 recorded_direction(const Table& table, u32 cell) {
  return table.read(cell) & 0xFu;
}

}  // namespace path_finding
