// SPDX-License-Identifier: Apache-2.0
#include "graph/reverse.hpp"

#include <bit>
#include <utility>
#include <vector>

namespace mlmq::graph {
namespace {

/// @param weight_of returns the weight at a position
template <class Number, class WeightOf>
csr_graph reversed_with(const csr_graph& graph, const WeightOf& weight_of) {
  std::vector<vertex_id> targets(graph.edge_count());
  std::vector<Number> weights(graph.edge_count());
  std::vector<edge_offset> offsets = reverse_rows(graph, [&](edge_offset position, edge_offset edge, vertex_id source) {
    targets[position] = source;
    weights[position] = weight_of(edge);
  });
  return csr_graph(std::move(offsets), std::move(targets), std::move(weights))
      .with_ids(graph.ids())
      .with_decimal_places(graph.decimal_places());
}

}  // namespace

csr_graph reversed(const csr_graph& graph) {
  if (graph.weights() == weight_type::float64) {
    return reversed_with<double>(graph,
                                 [&](edge_offset i) { return std::bit_cast<double>(graph.wide_weight_bits()[i]); });
  }
  if (graph.weights() == weight_type::float32)
    return reversed_with<float>(graph, [&](edge_offset i) { return std::bit_cast<float>(graph.weight_bits()[i]); });
  return reversed_with<std::uint32_t>(graph, [&](edge_offset i) { return graph.weight_bits()[i]; });
}

}  // namespace mlmq::graph
