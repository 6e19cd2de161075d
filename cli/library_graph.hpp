// SPDX-License-Identifier: Apache-2.0
// Opens graphs of the command line for the library.
#pragma once

#include <utility>

#include "cli/graph_source.hpp"
#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/graphs/graph_workload.hpp"

namespace mlmq::cli {

/// Opens the graph. Decimal weights are searched as whole numbers if possible, unless --weights requests another type.
[[nodiscard]] inline digraph open_digraph(const graph_options& options) {
  options.check();
  graph::read_options reading = options.reading();
  reading.exact_decimals = true;
  problems::opened_graph opened = problems::open_graph(options.name, reading);
  return detail::digraph_of(std::move(opened.graph), std::move(opened.name), opened.source, std::move(opened.notes));
}

}  // namespace mlmq::cli
