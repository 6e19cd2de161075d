// SPDX-License-Identifier: Apache-2.0
// A graph in device memory whose vertices are renumbered so that neighbours are adjacent.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/graphs/ell_rows.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/multi_source/packed_rows.hpp"

namespace mlmq::multi_source {

/// A renumbered graph. The new numbers are ranks, which differ little between neighbours (graph/place_order.hpp).
struct placed_graph {
  /// @throws backends::out_of_device_memory
  placed_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name, bool unit_weights);

  graph::csr_graph graph;               ///< renumbered
  std::vector<graph::vertex_id> ranks;  ///< rank of each vertex of the original graph
  problems::resident_graph on_device;
  problems::resident_ell ell_rows;
  resident_packed_rows packed_rows;
  backends::device_memory device_names;  ///< n words: the original number of each vertex
  backends::device_memory device_ranks;

 private:
  placed_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name, bool unit_weights,
               const std::vector<graph::vertex_id>& order);
};

/// A placed_graph that is created on first use, because this takes longer than hundreds of searches.
class lazily_placed_graph {
 public:
  /// @param device, graph must outlive the object
  lazily_placed_graph(backends::backend& device, const graph::csr_graph& graph, std::string name, bool unit_weights)
      : device_(device), graph_(graph), name_(std::move(name)), unit_weights_(unit_weights) {}

  /// @throws backends::out_of_device_memory
  [[nodiscard]] placed_graph& get() {
    if (placed_ == nullptr) placed_ = std::make_unique<placed_graph>(device_, graph_, name_, unit_weights_);
    return *placed_;
  }

 private:
  backends::backend& device_;
  const graph::csr_graph& graph_;
  std::string name_;
  bool unit_weights_;
  std::unique_ptr<placed_graph> placed_;
};

}  // namespace mlmq::multi_source
