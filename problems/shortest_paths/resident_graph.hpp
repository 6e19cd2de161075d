// SPDX-License-Identifier: Apache-2.0
// A graph in device memory, in the layout that all search kernels share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/weight_traits.hpp"
#include "problems/shortest_paths/device_rows.hpp"

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

/// Rows in device memory as kernels/edges.cuh has them, or of weights of 8 bytes kernels/distance_width.cuh. Several instances of one graph may read the same.
struct resident_rows {
  bool wide_offsets = false;        ///< whether row starts are u64
  backends::device_memory offsets;  ///< n+1 row starts
  backends::device_memory edges;    ///< m words
  double average_weight = 1;        ///< of the graph, as average_weight() has it
};

/// @param name of the graph, for errors
/// @param unit_weights leaves the weights out: all are 1
/// @throws backends::out_of_device_memory
[[nodiscard]] std::shared_ptr<const resident_rows> upload_rows(backends::backend& device, const graph::csr_graph& graph,
                                                               const std::string& name, bool unit_weights);

/// Of rows that are in the memory of this device already: what searches can read as it is, is borrowed. Row starts of 64
/// bits are made narrow, where all edges can be counted with 32; targets and weights are put together.
/// @throws as pass_over_rows()
[[nodiscard]] std::shared_ptr<const resident_rows> arrange_rows(backends::backend& device, const device_rows& rows,
                                                                const std::string& name, bool unit_weights);

/// The rows of one graph, on each device that has them: whoever needs them there gets those that another has, as long as
/// that one keeps them. Not thread-safe.
class row_store {
 public:
  row_store() = default;
  /// @param on in whose memory `given` are
  row_store(const backends::backend& on, const device_rows& given) : on_(&on), given_(given) {}

  /// @param graph the graph of this store, with weights of 1 if `unit_weights`. Its arrays are not asked for where the
  ///   rows are on the device already.
  /// @throws as upload_rows() and arrange_rows()
  [[nodiscard]] std::shared_ptr<const resident_rows> rows_on(backends::backend& device, const graph::csr_graph& graph,
                                                             const std::string& name, bool unit_weights);

 private:
  const backends::backend* on_ = nullptr;
  device_rows given_;
  std::map<std::pair<const backends::backend*, bool>, std::weak_ptr<const resident_rows>> known_;
};

/// Rows, and the distances that a search writes.
struct resident_graph {
  /// @param store of the graph's rows; null: they are uploaded for this one alone
  /// @throws backends::out_of_device_memory
  resident_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name, bool unit_weights,
                 row_store* store = nullptr);

  std::shared_ptr<const resident_rows> rows;
  bool wide_offsets;                  ///< as of the rows, like the next two
  backends::device_memory offsets;    ///< borrowed
  backends::device_memory edges;      ///< borrowed
  backends::device_memory distances;  ///< n, of distance_bytes(), and one that no search lowers

  /// Bytes of the distances.
  [[nodiscard]] static std::size_t distance_bytes(const graph::csr_graph& graph) {
    return (std::size_t{graph.vertex_count()} + 1) * problems::distance_bytes(graph.weights());
  }
};

}  // namespace mlmq::problems
