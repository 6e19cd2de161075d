// SPDX-License-Identifier: Apache-2.0
// Searches of a graph whose leaves, or leaves and chains, have been removed (graph/reduction.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/reduced_graph.hpp"
#include "graph/reduction.hpp"
#include "problems/shortest_paths/resident_search.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// @throws backends::launch_error if the configuration reduces the graph, but searches of this kind cannot
void require_reducible(const tuner::configuration& chosen, search_kind kind);

/// Returns the reduced graph, made with the threads of the device, or of the host of a grid.
/// @param reductions of the graph
/// @throws backends::launch_error if the weights are not integers, or if a chain is too long for a weight
[[nodiscard]] graph::reduced_graph reduced(const graph::csr_graph& graph, graph::reduction_extent extent,
                                           graph::lazy_reductions& reductions, const backends::device_info& device);

class reduced_search {
 public:
  /// @param graph with weights of the type uint32; must outlive the object, like the device
  /// @param reductions of the graph
  /// @throws backends::launch_error if the graph has other weights, or a chain is longer than a weight can be
  reduced_search(backends::backend& device, const graph::csr_graph& graph, const std::string& name,
                 graph::reduction_extent extent, graph::lazy_reductions& reductions, ring_limits limits);

  /// The search of the core: variants and solvers are made for it.
  [[nodiscard]] resident_search& core() { return *core_; }

  /// Computes the distances of all vertices.
  /// @param distances  of the graph, in device memory
  [[nodiscard]] tuner::run_report run(graph::vertex_id source, double time_limit_ms,
                                      const backends::device_memory& distances);

 private:
  /// @return milliseconds
  double fill_in(const graph::core_start<graph::distance_bits>& start, const backends::device_memory& distances);
  double fill_in_on_grid(const graph::core_start<graph::distance_bits>& start,
                         const backends::device_memory& distances);

  backends::backend& device_;
  graph::reduced_graph reduced_;
  std::unique_ptr<resident_search> core_;
  std::shared_ptr<const backends::kernel> fill_kernel_;
  backends::device_memory rows_;    ///< on a grid, as is the next one
  backends::device_memory inside_;  ///< for the inside_length words of the largest fragment
};

}  // namespace mlmq::problems
