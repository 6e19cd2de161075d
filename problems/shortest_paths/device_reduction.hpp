// SPDX-License-Identifier: Apache-2.0
// Removes vertices from a graph for searches on a device; leaves and chains on the device itself, if possible
// (kernels/reduce_graph.cu).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/reduced_graph.hpp"
#include "problems/graphs/resident_graph.hpp"

namespace mlmq::problems {

/// A graph that has been reduced once, for searches on a device.
struct reduced_rows {
  graph::csr_graph core;
  /// By vertex, if the device has reduced the graph: the places of those of the core, otherwise 0.
  std::vector<std::uint32_t> places_by_device = {};
  backends::device_memory on_device = {};  ///< on a GPU: rows_per_vertex rows for each vertex
  std::uint32_t rows_per_vertex = 1;
  /// On processors, and on a GPU that has not reduced the graph itself.
  std::shared_ptr<const graph::reduced_graph> on_processors = nullptr;

  /// Returns the places of all vertices, for graph::start_finder. Valid as long as the object, also if it is moved.
  [[nodiscard]] std::span<const std::uint32_t> places() const {
    return on_processors != nullptr ? on_processors->structure().places() : std::span(places_by_device);
  }
};

/// Returns whether reduce_on_device() supports a graph.
[[nodiscard]] bool can_reduce_on_device(const backends::device_info& device, const graph::csr_graph& graph);

/// @param graph with weights of the type uint32
/// @throws backends::launch_error if the length of a chain is too long for a weight
/// @throws backends::out_of_device_memory
[[nodiscard]] reduced_rows reduce_on_device(backends::backend& device, const graph::csr_graph& graph,
                                            const resident_graph& on_device);

/// Returns an element for each reduction: the first one is of the graph, each other one of the core of the one before.
/// @param reductions of the graph
/// @throws backends::launch_error if the weights are not integers, or if a chain is too long for a weight
/// @throws backends::out_of_device_memory
[[nodiscard]] std::vector<reduced_rows> reduce(backends::backend& device, const graph::csr_graph& graph,
                                               const resident_graph& on_device, graph::reduction_extent extent,
                                               graph::lazily_reduced_graphs& reductions);

/// Returns objects that find where searches begin in each of the cores. @param reduced  must outlive them
[[nodiscard]] std::vector<graph::start_finder<graph::distance_bits>> make_start_finders(
    const graph::csr_graph& graph, std::span<const reduced_rows> reduced);

}  // namespace mlmq::problems
