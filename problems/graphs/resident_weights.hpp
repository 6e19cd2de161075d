// SPDX-License-Identifier: Apache-2.0
// New weights of a graph's edges that are in device memory.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// Valid weights in device memory, 32 bits per edge.
struct resident_weights {
  backends::device_memory memory;
  double average = 1;               ///< average_weight() of the graph
  std::uint32_t heaviest_bits = 0;  ///< largest bits of a weight; 0 without edges
};

/// Copies weights of a 4-byte type within device memory, and checks them.
/// @param weights `edges` weights in memory of the device; may be empty without edges
/// @throws input_error for the first invalid weight, worded like csr_graph
[[nodiscard]] resident_weights copy_weights(backends::backend& device, const backends::device_memory& weights,
                                            graph::edge_offset edges, graph::weight_type type);

/// Returns the graph with weights from device memory, in host memory. @param structure  the graph with other weights
[[nodiscard]] graph::csr_graph download_weights(backends::backend& device, const resident_weights& weights,
                                                const graph::csr_graph& structure);

}  // namespace mlmq::problems
