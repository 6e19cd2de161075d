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
  const std::size_t n = graph.vertex_count();
  std::vector<edge_offset> offsets(n + 1, 0);
  for (const vertex_id target : graph.targets()) ++offsets[target + 1];
  for (std::size_t v = 0; v < n; ++v) offsets[v + 1] += offsets[v];
  std::vector<edge_offset> next(offsets.begin(), offsets.end() - 1);
  std::vector<vertex_id> targets(graph.edge_count());
  std::vector<Number> weights(graph.edge_count());
  for (vertex_id v = 0; v < n; ++v) {
    for (edge_offset i = graph.offsets()[v]; i < graph.offsets()[v + 1]; ++i) {
      const edge_offset place = next[graph.targets()[i]]++;
      targets[place] = v;
      weights[place] = weight_of(i);
    }
  }
  return csr_graph(std::move(offsets), std::move(targets), std::move(weights)).with_ids(graph.ids());
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
