// SPDX-License-Identifier: Apache-2.0
// Reconstructs paths of searches on processors, which only store lengths.
#pragma once

#include <cstdint>
#include <vector>

#include "problems/astar/path_search.hpp"

namespace mlmq::astar {

/// Appends the directions of a shortest path from the start. Traces it backwards from the goal: the next cell is one
/// that the search has met, from which a straight or diagonal walk explains the stored length.
/// @param searched must have just found a length below 2^32 units for `pair`
void append_path(const grid& map, const path_searcher& searched, const cell_pair& pair,
                 std::vector<std::uint8_t>& directions);

}  // namespace mlmq::astar
