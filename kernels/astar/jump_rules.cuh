// SPDX-License-Identifier: Apache-2.0
// The pruning rules of jump point search (Harabor and Grastien 2011, 2014), which say where shortest paths may turn, as
// operations on the legal steps of a cell.
//
// Of several shortest paths between two cells, the search keeps the one whose diagonal steps come first. A diagonal
// walk may therefore turn into its two straight components, and a straight walk continues straight. Both may also turn
// next to an obstacle.
#pragma once

#include "astar/configuration.cuh"

namespace path_finding {

/// Rotates eight bits by d directions.
SIMT_DEVICE u32 rotated_right(u32 bits, u32 d) { return (bits >> d | bits << (8u - d)) & 0xFFu; }
SIMT_DEVICE u32 rotated_left(u32 bits, u32 d) { return rotated_right(bits, (8u - d) & 7u); }

/// Returns the directions in which a shortest path may leave a cell that it entered in direction d; all legal ones if d
/// is no_direction.
SIMT_DEVICE u32 successor_directions(u32 legal, u32 d) {
  if (d == no_direction) return legal;
  const u32 seen = rotated_right(legal, d);  // bit 0: straight on, 2 and 6: the sides, 4: back
  u32 directions;
  if ((d & 1u) != 0) {
    directions = 0x83u;
    if constexpr (corners_cut) {
      if ((seen & 0x08u) == 0) directions |= 0x04u;
      if ((seen & 0x20u) == 0) directions |= 0x40u;
    }
  } else {
    directions = 0x01u;
    if constexpr (corners_cut) {
      if ((seen & 0x04u) == 0) directions |= 0x02u;
      if ((seen & 0x40u) == 0) directions |= 0x80u;
    } else {
      // The side is free, but the cell behind it, which the walk has passed, is blocked.
      if ((seen & 0x0Cu) == 0x04u) directions |= 0x06u;
      if ((seen & 0x60u) == 0x40u) directions |= 0xC0u;
    }
  }
  return rotated_left(directions & seen, d);
}

}  // namespace path_finding
