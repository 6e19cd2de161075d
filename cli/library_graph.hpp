// SPDX-License-Identifier: Apache-2.0
// Opens graphs of the command line for the library.
#pragma once

#include <utility>

#include "cli/graph_source.hpp"
#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/graphs/graph_workload.hpp"

namespace mlmq::cli {

/// Opens the graph. Its decimal weights are float32 unless --weights requests float64, as in sweeps.
[[nodiscard]] inline digraph open_digraph(const graph_options& options) {
  options.check();
  problems::opened_graph opened = problems::open_graph(options.name, options.reading());
  return detail::digraph_of(std::move(opened.graph), std::move(opened.name), opened.source, std::move(opened.notes));
}

}  // namespace mlmq::cli
