// SPDX-License-Identifier: Apache-2.0
// How far walks go, for jump point search with a table (Rabin and Sturtevant's JPS+): computed once for a map.
#pragma once

#include <cstdint>
#include <vector>

#include "problems/astar/grid.hpp"

namespace mlmq::astar {

/// Eight numbers for each number of a cell, one for each direction: the steps to the next cell where a shortest path may have
/// to turn (above 0), or minus the steps until the way is blocked (0: it is blocked at once).
[[nodiscard]] std::vector<std::int16_t> jump_table_of(const grid& map);

}  // namespace mlmq::astar
