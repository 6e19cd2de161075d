// SPDX-License-Identifier: Apache-2.0
// A graph as sequential_search reads it, for searches without an instance.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "graph/csr.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::multi_source {

/// Owns copies of the edges with their weights.
class host_search_graph {
 public:
  /// @param graph must outlive the object
  /// @param kind breadth-first search does not read weights
  host_search_graph(const graph::csr_graph& graph, problems::search_kind kind);

  /// Returns whether distances have 8 bytes.
  [[nodiscard]] bool is_wide() const { return is_wide_; }
  [[nodiscard]] cpu::search_graph view() const;

 private:
  const graph::csr_graph& graph_;
  bool has_unit_weights_;
  bool is_wide_;
  std::vector<std::uint64_t> edges_;
  std::vector<graph::wide_edge> wide_edges_;
};

}  // namespace mlmq::multi_source
