// SPDX-License-Identifier: Apache-2.0
// Elimination orders that are kept in the cache folder, because computing one takes longer than many searches.
#pragma once

#include <vector>

#include "base/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns dissection_order(graph, team). The order of a graph of 50,000 vertices or more is read from the cache folder
/// if another process has computed it for the same edges, and is kept there otherwise. A damaged file is replaced. The
/// files are at most 256 MB large; those that were not used for the longest time are removed.
[[nodiscard]] std::vector<vertex_id> kept_dissection_order(const csr_graph& graph, thread_team& team);

/// Returns whether kept_dissection_order() would read the order from the cache folder.
[[nodiscard]] bool has_kept_order(const csr_graph& graph);

}  // namespace mlmq::graph
