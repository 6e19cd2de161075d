// SPDX-License-Identifier: Apache-2.0
// Searches of the core of a graph that has been reduced (graph/reduction.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "fill_in_abi.cuh"
#include "graph/csr.hpp"
#include "graph/reduced_graph.hpp"
#include "graph/reduction.hpp"
#include "problems/shortest_paths/device_reduction.hpp"
#include "problems/shortest_paths/resident_search.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

class reduced_search {
 public:
  /// @param graph with weights of the type uint32
  /// @param on_device  this graph on the device, which must outlive the object
  /// @param reductions of the graph
  /// @throws backends::launch_error if the graph has other weights, or a chain is longer than a weight can be
  reduced_search(backends::backend& device, const graph::csr_graph& graph, const resident_graph& on_device,
                 const std::string& name, graph::reduction_extent extent, graph::lazily_reduced_graphs& reductions,
                 ring_limits limits)
      : reduced_search(device, graph, reduce(device, graph, on_device, extent, reductions), name, limits) {}

  /// The search of the core: variants and solvers are made for it.
  [[nodiscard]] resident_search& core() { return core_; }

  /// Computes the distances of all vertices. The rest is like that of graph_instance::run_from().
  /// @param distances  of the graph, in device memory
  [[nodiscard]] std::pair<tuner::run_report, bool> run(graph::vertex_id source, double time_limit_ms,
                                                       const backends::device_memory& distances,
                                                       std::span<std::byte> destination);

 private:
  reduced_search(backends::backend& device, const graph::csr_graph& graph, std::vector<reduced_rows> steps,
                 const std::string& name, ring_limits limits);

  /// Fills in the distances of the graph that a step has reduced from those of its core, behind the search.
  void fill_in(std::size_t step, const backends::device_memory& of_core, const backends::device_memory& distances);
  void launch_on_team(std::size_t step, const backends::device_memory& of_core,
                      const backends::device_memory& distances);
  void launch_on_grid(std::size_t step, const backends::device_memory& of_core,
                      const backends::device_memory& distances);
  /// Uploads the lengths inside a large fragment.
  void upload_inside(std::size_t step);

  backends::backend& device_;
  std::vector<reduced_rows> steps_;
  std::vector<graph::start_finder<graph::distance_bits>> starts_;  ///< for each step
  resident_search core_;
  std::shared_ptr<const backends::kernel> fill_kernel_;
  std::vector<backends::device_memory> distances_;  ///< of the core of each step but the last one
  std::vector<backends::device_memory> inside_;     ///< on a grid, for the lengths inside a large fragment
};

}  // namespace mlmq::problems
