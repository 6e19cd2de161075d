// SPDX-License-Identifier: Apache-2.0
// A graph in device memory, in the layout that all search kernels share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::problems {

/// The mean weight, the unit of lengths in configurations; 1 for a graph without edges or with weights of 0 only.
[[nodiscard]] double average_weight(const graph::csr_graph& graph);

/// Edges for each vertex.
[[nodiscard]] double average_degree(const graph::csr_graph& graph);

/// A length as a distance word of the kernel, at most the largest finite distance.
/// @param length in units of the weights
/// @return of float64 the upper half: the key of a distance (kernels/distance_width.cuh)
[[nodiscard]] std::uint32_t distance_word(double length, graph::weight_type weights);
/// All bits of a length as a distance of float64, at most the largest finite one.
[[nodiscard]] graph::wide_distance_bits wide_distance_word(double length);

/// Bytes of a distance of the kernels.
[[nodiscard]] constexpr std::size_t distance_bytes(graph::weight_type weights) {
  return weights == graph::weight_type::float64 ? sizeof(graph::wide_distance_bits) : sizeof(graph::distance_bits);
}

/// The edges of a graph with weights of float64.
[[nodiscard]] std::vector<graph::wide_edge> wide_edges_of(const graph::csr_graph& graph);

/// Rows as kernels/edges.cuh has them, or of weights of 8 bytes kernels/distance_width.cuh, and the distances that a search writes.
struct resident_graph {
  /// @param name of the graph, for errors
  /// @param unit_weights leaves the weights out
  /// @throws backends::out_of_device_memory
  resident_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name, bool unit_weights);

  bool wide_offsets;                  ///< whether row starts are u64
  backends::device_memory offsets;    ///< n+1 row starts
  backends::device_memory edges;      ///< m words
  backends::device_memory distances;  ///< n, of distance_bytes(), and one that no search lowers
};

}  // namespace mlmq::problems
