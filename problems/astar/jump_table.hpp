// SPDX-License-Identifier: Apache-2.0
// The table of walk lengths for jump point search with a table (Rabin and Sturtevant's JPS+), computed once per map.
#pragma once

#include <cstdint>
#include <vector>

#include "problems/astar/grid.hpp"

namespace mlmq::astar {

/// Returns eight numbers per cell number, one per direction: the steps to the next cell at which a shortest path may
/// have to turn (positive), or minus the number of steps before an obstacle (0: the first step is blocked).
[[nodiscard]] std::vector<std::int16_t> jump_table_of(const grid& map);

}  // namespace mlmq::astar
