// SPDX-License-Identifier: Apache-2.0
// From the numbers that a file calls its vertices by to 0, 1, 2, ….
#pragma once

#include <cstdint>
#include <vector>

#include "graph/builder.hpp"
#include "graph/file_ids.hpp"
#include "graph/text_reader.hpp"

namespace mlmq::graph {

/// Numbers the ids that occur 0, 1, 2, … in increasing order and writes those numbers into `edges`.
/// @param ids source and target of each edge in turn; at least one edge
/// @return the ids, of which there are at most twice as many as edges
/// @throws input_error when there are more than a vertex_id can count
[[nodiscard]] file_ids number_ids(const std::vector<std::uint64_t>& ids, edge_list& edges, const text_reader& reader);

}  // namespace mlmq::graph
