// SPDX-License-Identifier: Apache-2.0
// Partitions of graphs that are kept in the cache folder, because computing one takes longer than many searches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns partition(graph, loads, parts, team). The partition of a graph of 100,000 vertices and edges or more is read
/// from the cache folder if another process has computed it for the same rows, loads and number of parts, and is kept
/// there otherwise. A damaged file is replaced. The files are at most 64 MB large; those that were not used for the
/// longest time are removed.
[[nodiscard]] std::vector<std::uint32_t> kept_partition(const csr_graph& graph, std::span<const std::uint32_t> loads,
                                                        unsigned parts, thread_team& team);

}  // namespace mlmq::graph
