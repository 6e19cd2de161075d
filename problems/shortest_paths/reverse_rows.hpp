// SPDX-License-Identifier: Apache-2.0
// The edges of a graph turned round, without weights: what leads to a vertex, for searches that pull levels.
#pragma once

#include <memory>
#include <optional>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/shortest_paths/resident_graph.hpp"

namespace mlmq::problems {

/// In device memory, as kernels/edges.cuh has rows. Of a graph whose reverse is itself they are the rows it has.
struct reversed_rows {
  backends::device_memory offsets;  ///< n+1 row starts, as wide as those of the graph
  backends::device_memory edges;    ///< m vertices that edges come from
};

/// The reversed rows of one graph: made when they are asked for first, then kept, as long as there is room for
/// others. Those of a large graph, and of one whose arrays are not in host memory, the device makes.
class resident_reverse {
 public:
  /// @param device, graph, rows must outlive these @param rows of the graph without weights, on the device
  resident_reverse(backends::backend& device, const graph::csr_graph& graph, const resident_rows& rows)
      : device_(device), graph_(graph), on_device_(rows) {}

  /// @throws backends::out_of_device_memory, backends::compile_error, backends::kernel_fault
  [[nodiscard]] std::shared_ptr<const reversed_rows> get();
  /// Drops rows that nobody has. @return whether there were any
  bool drop_unused();

 private:
  [[nodiscard]] std::shared_ptr<reversed_rows> make_on_host() const;
  [[nodiscard]] std::shared_ptr<reversed_rows> make_on_device() const;
  template <class Offset>
  void make_on_device(reversed_rows& rows) const;

  backends::backend& device_;
  const graph::csr_graph& graph_;
  const resident_rows& on_device_;
  std::shared_ptr<const reversed_rows> rows_;
};

}  // namespace mlmq::problems
