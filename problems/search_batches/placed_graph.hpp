// SPDX-License-Identifier: Apache-2.0
// What kernels search: a graph in device memory, with its vertices as they are numbered or with neighbours side by side.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/search_batches/packed_rows.hpp"
#include "problems/shortest_paths/ell_rows.hpp"
#include "problems/shortest_paths/resident_graph.hpp"

namespace mlmq::batches {

/// Vertices have numbers of their own in it: their ranks, which differ little among neighbours (graph/place_order.hpp).
struct placed_graph {
  /// @throws backends::out_of_device_memory
  placed_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name, bool unit_weights);

  graph::csr_graph graph;               ///< renumbered
  std::vector<graph::vertex_id> ranks;  ///< of the vertices of the graph that was given
  problems::resident_graph on_device;
  problems::resident_ell ell_rows;
  resident_packed_rows packed_rows;
  backends::device_memory names_there;  ///< n words: the number of each vertex in the graph that was given
  backends::device_memory ranks_there;

 private:
  placed_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name, bool unit_weights,
               const std::vector<graph::vertex_id>& order);
};

/// Made when it is asked for the first time: that takes longer than hundreds of searches.
class lazily_placed_graph {
 public:
  /// @param device, graph must outlive this
  lazily_placed_graph(backends::backend& device, const graph::csr_graph& graph, std::string name, bool unit_weights)
      : device_(device), graph_(graph), name_(std::move(name)), unit_weights_(unit_weights) {}

  /// @throws backends::out_of_device_memory
  [[nodiscard]] placed_graph& get() {
    if (made_ == nullptr) made_ = std::make_unique<placed_graph>(device_, graph_, name_, unit_weights_);
    return *made_;
  }

 private:
  backends::backend& device_;
  const graph::csr_graph& graph_;
  std::string name_;
  bool unit_weights_;
  std::unique_ptr<placed_graph> made_;
};

}  // namespace mlmq::batches
