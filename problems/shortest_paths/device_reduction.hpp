// SPDX-License-Identifier: Apache-2.0
// Removes leaves and chains from a graph on its device (kernels/reduce_graph.cu).
#pragma once

#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/graphs/resident_graph.hpp"

namespace mlmq::problems {

struct device_reduction {
  graph::csr_graph core;
  std::vector<std::uint32_t> places;  ///< by vertex: like graph::reduction::place() for those of the core, otherwise 0
  backends::device_memory rows;       ///< on the device: a fill_row for each vertex
};

/// Returns whether reduce_on_device() supports a graph.
[[nodiscard]] bool can_reduce_on_device(const backends::device_info& device, const graph::csr_graph& graph,
                                        const resident_graph& on_device);

/// @param graph with weights of the type uint32
/// @throws backends::launch_error if the length of a chain is too long for a weight
/// @throws backends::out_of_device_memory
[[nodiscard]] device_reduction reduce_on_device(backends::backend& device, const graph::csr_graph& graph,
                                                const resident_graph& on_device);

}  // namespace mlmq::problems
