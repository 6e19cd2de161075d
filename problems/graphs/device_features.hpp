// SPDX-License-Identifier: Apache-2.0
// Computes the features of a graph on the device that already holds it.
#pragma once

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/feature_pass.hpp"
#include "problems/graphs/resident_graph.hpp"

namespace mlmq::problems {

/// Features of a graph, computed on the device that holds it.
struct device_features {
  graph::feature_pass pass;
  double milliseconds = 0;  ///< on the device
};

/// Returns the variant of the kernel `features` for such a graph.
/// @param block_threads threads per block: a multiple of the warp size, at most 32 warps
[[nodiscard]] backends::kernel_source features_variant(graph::weight_type weights, bool wide_offsets,
                                                       unsigned block_threads);

/// Returns the variant that find_features() runs on a device.
[[nodiscard]] backends::kernel_source features_variant(graph::weight_type weights, bool wide_offsets,
                                                       const backends::device_info& device);

/// Computes what run_feature_pass() computes with the kernel `features`, which reads no weights where all are 1. The
/// results are equal, except for the average and deviation of float weights, whose sums are rounded in another order.
/// @param graph the graph that is on the device
/// @param unit_weights all weights of the graph are 1, and none are on the device
/// @throws backends::compile_error, backends::kernel_fault, backends::out_of_device_memory
[[nodiscard]] device_features find_features(backends::backend& device, const graph::csr_graph& graph,
                                            const resident_graph& on_device, bool unit_weights);

}  // namespace mlmq::problems
