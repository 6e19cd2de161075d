// SPDX-License-Identifier: Apache-2.0
// Converts the vertex numbers of a file to 0, 1, 2, ….
#pragma once

#include <cstdint>
#include <span>

#include "graph/builder.hpp"
#include "graph/file_ids.hpp"
#include "graph/text_reader.hpp"

namespace mlmq::graph {

/// Numbers the ids that occur 0, 1, 2, … in increasing order and writes these numbers into `edges`.
/// @param ids alternately the source and the target of each edge; at least one edge
/// @return the distinct ids, at most two per edge
/// @throws input_error if there are more ids than a vertex_id can count
[[nodiscard]] file_ids number_ids(std::span<const std::uint64_t> ids, edge_list& edges, const line_place& place);

}  // namespace mlmq::graph
