// SPDX-License-Identifier: Apache-2.0
// Implementation of the handle mlmq::digraph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "graph/io.hpp"
#include "mlmq/graph.hpp"

namespace mlmq::detail {

struct rows_on_device;

struct digraph_data {
  graph::csr_graph csr;
  std::string name;
  vertex default_source = 0;
  std::vector<std::string> notes = {};
  graph::read_times times = {};
  /// The rows in device memory, or null if they are in host memory. With device rows, `csr` copies them to the host on
  /// first use.
  std::shared_ptr<const rows_on_device> device_rows = {};

  /// Returns the milliseconds spent so far on copying the rows to the host.
  [[nodiscard]] double host_copy_ms() const;
};

/// Returns the error message for an invalid vertex of the graph.
[[nodiscard]] std::string not_a_vertex(const digraph& graph, vertex v);

}  // namespace mlmq::detail
