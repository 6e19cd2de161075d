// SPDX-License-Identifier: Apache-2.0
// A graph in device memory, in the layout that all search kernels share.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/weight_traits.hpp"
#include "problems/graphs/device_rows.hpp"

namespace mlmq::problems {

/// Returns the mean weight, the unit of lengths in configurations; 1 if the graph has no edges or all weights are 0.
[[nodiscard]] double average_weight(const graph::csr_graph& graph);

/// Returns the number of edges per vertex.
[[nodiscard]] double average_degree(const graph::csr_graph& graph);

/// Converts a length to a distance word of the kernel, at most the largest finite distance.
/// @param length in units of the weights
/// @return for float64 the upper half of the distance, which is its key (kernels/distance_width.cuh)
[[nodiscard]] std::uint32_t distance_word(double length, graph::weight_type weights);
/// Converts a length to the bits of a float64 distance, at most the largest finite one.
[[nodiscard]] graph::wide_distance_bits wide_distance_word(double length);

/// Returns the size of a distance in kernels, in bytes.
[[nodiscard]] constexpr std::size_t distance_bytes(graph::weight_type weights) {
  return weights == graph::weight_type::float64 ? sizeof(graph::wide_distance_bits) : sizeof(graph::distance_bits);
}

/// Returns the size of an edge in kernels, in bytes. @param unit_weights whether edges have no weights
[[nodiscard]] constexpr std::size_t edge_bytes(graph::weight_type weights, bool unit_weights) {
  if (unit_weights) return sizeof(graph::vertex_id);
  return weights == graph::weight_type::float64 ? sizeof(graph::wide_edge) : sizeof(std::uint64_t);
}

/// Returns whether row starts in kernels are u64.
[[nodiscard]] constexpr bool has_wide_offsets(graph::edge_offset edges) {
  return edges > std::numeric_limits<std::uint32_t>::max();
}

/// Returns the size of the rows of a graph in kernels, in bytes.
[[nodiscard]] constexpr std::uint64_t row_bytes(graph::vertex_id vertices, graph::edge_offset edges,
                                                graph::weight_type weights, bool unit_weights) {
  return (std::uint64_t{vertices} + 1) * (has_wide_offsets(edges) ? sizeof(std::uint64_t) : sizeof(std::uint32_t)) +
         edges * edge_bytes(weights, unit_weights);
}

/// Checks that a graph and the distances of a search fit into the free memory of a device, before anything is uploaded.
/// @throws backends::out_of_device_memory that says what is needed, what is free, and what would fit
void require_room(backends::backend& device, graph::vertex_id vertices, graph::edge_offset edges,
                  graph::weight_type weights, bool unit_weights, const std::string& name);

/// Returns the edges of a graph with weights of 4 bytes: targets below weights.
[[nodiscard]] std::vector<std::uint64_t> narrow_edges_of(const graph::csr_graph& graph);
/// Returns the edges of a graph with float64 weights.
[[nodiscard]] std::vector<graph::wide_edge> wide_edges_of(const graph::csr_graph& graph);

/// Rows in device memory, in the layout of kernels/edges.cuh, or of kernels/distance_width.cuh for weights of 8 bytes.
/// Several instances of one graph can share them.
struct resident_rows {
  bool wide_offsets = false;        ///< whether row starts are u64
  backends::device_memory offsets;  ///< n+1 row starts
  backends::device_memory edges;    ///< m words
  double average_weight = 1;        ///< average_weight() of the graph
};

/// Uploads the rows of a graph.
/// @param name name of the graph, for errors
/// @param unit_weights omits the weights: all are 1
/// @throws backends::out_of_device_memory
[[nodiscard]] std::shared_ptr<const resident_rows> upload_rows(backends::backend& device, const graph::csr_graph& graph,
                                                               const std::string& name, bool unit_weights);

/// Arranges rows that are already in the memory of this device. Arrays that searches can read are borrowed. 64-bit row
/// starts are narrowed if 32 bits suffice for all edges; targets and weights are interleaved.
/// @throws like pass_over_rows()
[[nodiscard]] std::shared_ptr<const resident_rows> arrange_rows(backends::backend& device, const device_rows& rows,
                                                                const std::string& name, bool unit_weights);

/// Shares the rows of one graph on each device between instances, as long as an instance keeps them. Not thread-safe.
class row_store {
 public:
  row_store() = default;
  /// @param device the device whose memory contains `rows`
  row_store(const backends::backend& device, const device_rows& rows) : device_(&device), rows_(rows) {}

  /// Returns the rows on a device; uploads or arranges them if no instance has them.
  /// @param graph the graph of this store, with weights of 1 if `unit_weights`. Its arrays are not read if the rows are
  ///   already on the device.
  /// @throws like upload_rows() and arrange_rows()
  [[nodiscard]] std::shared_ptr<const resident_rows> rows_on(backends::backend& device, const graph::csr_graph& graph,
                                                             const std::string& name, bool unit_weights);

 private:
  const backends::backend* device_ = nullptr;
  device_rows rows_;
  std::map<std::pair<const backends::backend*, bool>, std::weak_ptr<const resident_rows>> cache_;
};

/// The rows of a graph and the distances that a search writes.
struct resident_graph {
  /// @param store store of the graph's rows; null: the object uploads its own
  /// @throws backends::out_of_device_memory
  resident_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name, bool unit_weights,
                 row_store* store = nullptr);

  std::shared_ptr<const resident_rows> rows;
  bool wide_offsets;                  ///< from `rows`, like the next two members
  backends::device_memory offsets;    ///< borrowed
  backends::device_memory edges;      ///< borrowed
  backends::device_memory distances;  ///< n + 1 distances of distance_bytes(); no search lowers the last one

  /// Returns the size of the distances, in bytes.
  [[nodiscard]] static std::size_t distance_bytes(const graph::csr_graph& graph) {
    return (std::size_t{graph.vertex_count()} + 1) * problems::distance_bytes(graph.weights());
  }
};

}  // namespace mlmq::problems
