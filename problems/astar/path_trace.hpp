// SPDX-License-Identifier: Apache-2.0
// Paths of searches by processors, which keep lengths alone.
#pragma once

#include <cstdint>
#include <vector>

#include "problems/astar/path_search.hpp"

namespace mlmq::astar {

/// Appends the directions of a shortest path, from the start on. It is found from the goal back: a way to a cell that the
/// search met, and straight or diagonally on from there, is as long as the search says.
/// @param searched has just found a length below 2^32 units for `asked`
void append_path(const grid& map, const path_searcher& searched, const cell_pair& asked,
                 std::vector<std::uint8_t>& directions);

}  // namespace mlmq::astar
