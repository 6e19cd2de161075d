// SPDX-License-Identifier: Apache-2.0
// Searches of a graph whose leaves, or leaves and chains, have been removed (graph/reduction.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "backends/backend.hpp"
#include "fill_in_abi.cuh"
#include "graph/csr.hpp"
#include "graph/reduced_graph.hpp"
#include "graph/reduction.hpp"
#include "problems/shortest_paths/resident_search.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

class reduced_search {
 public:
  /// @param graph with weights of the type uint32; must outlive the object, like the device
  /// @param reductions of the graph
  /// @throws backends::launch_error if the graph has other weights, or a chain is longer than a weight can be
  reduced_search(backends::backend& device, const graph::csr_graph& graph, const std::string& name,
                 graph::reduction_extent extent, graph::lazily_reduced_graphs& reductions, ring_limits limits);

  /// The search of the core: variants and solvers are made for it.
  [[nodiscard]] resident_search& core() { return core_; }

  /// Computes the distances of all vertices. The rest is like that of graph_instance::run_from().
  /// @param distances  of the graph, in device memory
  [[nodiscard]] std::pair<tuner::run_report, bool> run(graph::vertex_id source, double time_limit_ms,
                                                       const backends::device_memory& distances,
                                                       std::span<std::byte> destination);

 private:
  using start = graph::core_start<graph::distance_bits>;
  /// Fills in with the threads of the device, behind the search.
  void launch_on_team(const start& begun, const backends::device_memory& distances);
  /// Returns the arguments of the kernel; uploads the lengths inside a large fragment.
  [[nodiscard]] fill_arguments arguments_for(const start& begun, const backends::device_memory& distances);
  void launch_on_grid(const fill_arguments& arguments);

  backends::backend& device_;
  std::shared_ptr<const graph::reduced_graph> reduced_;
  resident_search core_;
  std::shared_ptr<const backends::kernel> fill_kernel_;
  backends::device_memory rows_;    ///< on a grid
  backends::device_memory inside_;  ///< on a grid, for the lengths inside a large fragment
};

}  // namespace mlmq::problems
