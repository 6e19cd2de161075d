// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/resident_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace mlmq::problems {

double average_weight(const graph::csr_graph& graph) {
  double sum = 0;
  graph::with_weight_traits(graph.weights(), [&]<class Traits>(Traits) {
    for (const auto bits : Traits::weights_of(graph)) sum += Traits::number(bits);
  });
  return sum > 0 ? sum / static_cast<double>(graph.edge_count()) : 1.0;
}

double average_degree(const graph::csr_graph& graph) {
  const auto vertices = static_cast<double>(std::max<std::size_t>(graph.vertex_count(), 1));
  return static_cast<double>(graph.edge_count()) / vertices;
}

graph::wide_distance_bits wide_distance_word(double length) {
  return std::bit_cast<graph::wide_distance_bits>(std::min(length, std::numeric_limits<double>::max()));
}

std::vector<graph::wide_edge> wide_edges_of(const graph::csr_graph& graph) {
  std::vector<graph::wide_edge> edges(graph.edge_count());
  const auto weights = graph.wide_weight_bits();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = {.target = graph.targets()[i], .weight_bits = weights[i]};
  }
  return edges;
}

std::uint32_t distance_word(double length, graph::weight_type weights) {
  if (weights == graph::weight_type::float64) return static_cast<std::uint32_t>(wide_distance_word(length) >> 32);
  if (weights == graph::weight_type::float32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::min(length, 3e38)));
  }
  return static_cast<std::uint32_t>(std::min(std::round(length), static_cast<double>(graph::saturated_distance)));
}

resident_graph::resident_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name,
                               bool unit_weights)
    : wide_offsets(graph.edge_count() > std::numeric_limits<std::uint32_t>::max()) {
  const std::size_t n = graph.vertex_count();
  if (wide_offsets) {
    offsets = device.allocate((n + 1) * sizeof(std::uint64_t), "the row starts of " + name);
    device.upload(offsets, graph.offsets().data(), offsets.bytes());
  } else {
    const std::vector<std::uint32_t> narrow(graph.offsets().begin(), graph.offsets().end());
    offsets = device.allocate((n + 1) * sizeof(std::uint32_t), "the row starts of " + name);
    device.upload(offsets, narrow.data(), offsets.bytes());
  }
  if (unit_weights) {
    edges = device.allocate(graph.edge_count() * sizeof(graph::vertex_id), "the edges of " + name);
    device.upload(edges, graph.targets().data(), edges.bytes());
  } else if (graph.weights() == graph::weight_type::float64) {
    edges = backends::uploaded(device, wide_edges_of(graph), "the edges of " + name);
  } else {
    std::vector<std::uint64_t> interleaved(graph.edge_count());
    for (std::size_t i = 0; i < interleaved.size(); ++i) {
      interleaved[i] = graph.targets()[i] | static_cast<std::uint64_t>(graph.weight_bits()[i]) << 32;
    }
    edges = device.allocate(interleaved.size() * sizeof(std::uint64_t), "the edges of " + name);
    device.upload(edges, interleaved.data(), edges.bytes());
  }
  distances = device.allocate((n + 1) * distance_bytes(graph.weights()), "the distances of " + name);
}

}  // namespace mlmq::problems
