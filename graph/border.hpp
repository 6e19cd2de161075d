// SPDX-License-Identifier: Apache-2.0
// Improves the borders between the parts of a graph.
#pragma once

#include <cstdint>
#include <span>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Moves vertices at a border to the part that most of their edges lead to, if that part has room. Parts whose load
/// exceeds `most` give vertices away.
/// @param loads    load of each vertex
/// @param most     maximum load of a part, kept where possible
/// @param part_of  part of each vertex, less than `parts`; updated, to the same parts for any number of threads
void smooth_borders(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts, double most,
                    std::span<std::uint32_t> part_of, thread_team& team);

}  // namespace mlmq::graph
