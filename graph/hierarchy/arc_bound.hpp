// SPDX-License-Identifier: Apache-2.0
// An upper bound for the arcs of an elimination, without an order for all vertices.
#pragma once

#include <mutex>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Returns a number of arcs per vertex that is sufficient to eliminate the graph. Eliminates vertices of least degree
/// until all others have more than 32 neighbours, or after a time that is proportional to the number of vertices. The
/// rest counts as if all its vertices were adjacent. So the bound is small only if little is left, as of road networks
/// with few crossings; meshes have larger bounds, although other orders than by degree need few arcs.
/// @return 0 for a graph without vertices. Does not depend on the weights
[[nodiscard]] double arc_bound(const csr_graph& graph);

/// arc_bound() of one graph, computed on first use. Thread-safe.
class lazy_arc_bound {
 public:
  /// @param graph the same one in every call; its weights may differ
  [[nodiscard]] double value_for(const csr_graph& graph) {
    std::call_once(is_computed_, [&] { value_ = arc_bound(graph); });
    return value_;
  }

 private:
  std::once_flag is_computed_;
  double value_ = 0;
};

}  // namespace mlmq::graph
