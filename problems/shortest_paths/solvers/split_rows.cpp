// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/split_rows.hpp"

#include <algorithm>

namespace mlmq::problems {

split_rows split_rows_of(const graph::csr_graph& graph, unsigned degree) {
  split_rows split;
  if (degree == 0) return split;
  const auto offsets = graph.offsets();
  for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
    const graph::edge_offset edges = offsets[v + 1] - offsets[v];
    if (edges <= degree) continue;
    const std::size_t first = split.segments.size();
    for (graph::edge_offset done = 0; done < edges; done += degree) {
      split.segments.push_back({.first_edge = offsets[v] + done,
                                .degree = static_cast<u32>(std::min<graph::edge_offset>(degree, edges - done)),
                                .vertex = static_cast<u32>(v)});
    }
    split.rows.push_back({.vertex = static_cast<u32>(v),
                          .first_segment = static_cast<u32>(first),
                          .segment_count = static_cast<u32>(split.segments.size() - first),
                          .unused = 0});
  }
  return split;
}

}  // namespace mlmq::problems
