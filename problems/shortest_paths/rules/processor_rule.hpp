// SPDX-License-Identifier: Apache-2.0
// Rule that selects a search on processors by the size of the graph and the number of threads.
#pragma once

#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::problems {

/// A configuration for processors, and the time that a search with it is expected to take.
struct processor_search {
  std::string label;
  double expected_ms =
      0;  ///< on the processors to which the rule was fitted; others may be several times faster or slower
};

/// Returns the searches that processors can run, the fastest expected one first; never empty.
///
/// Only the size of the graph is needed, and whether its weights differ. Computing features would take longer than a
/// search of a small graph.
///
/// @param vertices of the graph, at least 1
/// @param edges of the graph
/// @param threads of the device, at least 1
/// @param has_equal_weights whether all weights are equal, as they are on most grids
[[nodiscard]] std::vector<processor_search> rank_processor_searches(search_kind kind, double vertices, double edges,
                                                                    unsigned threads, bool has_equal_weights = false);

/// Returns whether all weights of the graph are equal; false, without a check, for weights of 8 bytes. Stops at the
/// first weight that differs.
[[nodiscard]] bool has_equal_weights(const graph::csr_graph& graph);

}  // namespace mlmq::problems
