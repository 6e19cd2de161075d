// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/host_search_graph.hpp"

namespace mlmq::multi_source {

host_search_graph::host_search_graph(const graph::csr_graph& graph, problems::search_kind kind)
    : graph_(graph),
      has_unit_weights_(kind == problems::search_kind::bfs),
      is_wide_(graph.weights() == graph::weight_type::float64 && !has_unit_weights_) {
  if (is_wide_) {
    wide_edges_ = problems::wide_edges_of(graph);
  } else if (!has_unit_weights_) {
    edges_ = problems::narrow_edges_of(graph);
  }
}

cpu::search_graph host_search_graph::view() const {
  const void* const weighted = is_wide_ ? static_cast<const void*>(wide_edges_.data()) : edges_.data();
  return {.vertices = graph_.vertex_count(),
          .weights = graph_.weights(),
          .unit_weights = has_unit_weights_,
          .wide_offsets = true,
          .offsets = graph_.offsets().data(),
          .edges = has_unit_weights_ ? static_cast<const void*>(graph_.targets().data()) : weighted};
}

}  // namespace mlmq::multi_source
