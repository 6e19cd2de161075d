// SPDX-License-Identifier: Apache-2.0
// The reversed edges of a graph, for searches that pull.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/graphs/resident_graph.hpp"

namespace mlmq::problems {

/// Reversed rows in device memory, in the layout of kernels/edges.cuh. A symmetric graph shares its own rows.
struct reversed_rows {
  backends::device_memory offsets;  ///< n+1 row starts, of the same width as those of the graph
  backends::device_memory edges;    ///< m words like those of the graph's edges, with source vertices as targets
};

/// The reversed rows of one graph, created on first use and cached while memory suffices. The device makes them for a
/// large graph and for one whose arrays are not in host memory.
class resident_reverse {
 public:
  /// @param device, graph, rows must outlive the object; `rows` are the graph's rows on the device
  /// @param unit_weights whether `rows` have no weights
  resident_reverse(backends::backend& device, const graph::csr_graph& graph, const resident_rows& rows,
                   bool unit_weights)
      : device_(device), graph_(graph), on_device_(rows), unit_weights_(unit_weights) {}

  /// @throws backends::out_of_device_memory, backends::compile_error, backends::kernel_fault
  [[nodiscard]] std::shared_ptr<const reversed_rows> get();
  /// Frees the rows if no solver uses them. @return whether it freed any
  bool drop_unused();

 private:
  [[nodiscard]] std::shared_ptr<reversed_rows> make_on_host() const;
  /// @param words the graph's edges, as on the device
  template <class Word>
  [[nodiscard]] std::shared_ptr<reversed_rows> make_on_host(std::span<const Word> words) const;
  [[nodiscard]] std::shared_ptr<reversed_rows> make_on_device() const;
  template <class Offset>
  void make_on_device(reversed_rows& rows) const;

  backends::backend& device_;
  const graph::csr_graph& graph_;
  const resident_rows& on_device_;
  bool unit_weights_;
  std::shared_ptr<const reversed_rows> rows_;
};

}  // namespace mlmq::problems
