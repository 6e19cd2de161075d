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

/// The properties of a graph that the rule uses. Computing features would take longer than a search of a small graph.
struct graph_shape {
  double vertices = 1;  ///< at least 1
  double edges = 0;
  bool has_equal_weights = false;  ///< as on most grids
  bool has_hubs = false;           ///< see has_hubs()
};

/// Returns the searches that processors can run, the fastest expected one first; never empty.
/// @param threads of the device, at least 1
[[nodiscard]] std::vector<processor_search> rank_processor_searches(search_kind kind, const graph_shape& graph,
                                                                    unsigned threads);

/// Returns whether all weights of the graph are equal; false, without a check, for weights of 8 bytes. Stops at the
/// first weight that differs.
[[nodiscard]] bool has_equal_weights(const graph::csr_graph& graph);

/// Returns whether a vertex has more than 32 times the average degree, as in circuits. Stops at the first such vertex.
/// False, without a check, for graphs that few threads search or that have many edges per vertex: there it changes
/// nothing.
[[nodiscard]] bool has_hubs(const graph::csr_graph& graph);
/// @param largest_ratio largest / average degree
[[nodiscard]] bool has_hubs(double largest_ratio);

}  // namespace mlmq::problems
