// SPDX-License-Identifier: Apache-2.0
// libmlmq: shortest paths on GPUs, processors or a simulated GPU, with a work queue chosen for the input. This header
// includes all of the library:
//
//   mlmq/graph.hpp, mlmq/solver.hpp      paths from one vertex of a graph to all others
//   mlmq/batch.hpp                       paths from thousands of vertices
//   mlmq/reduction.hpp                   sums, nearest vertices, … of such searches
//   mlmq/centrality.hpp                  betweenness centrality
//   mlmq/grid.hpp, mlmq/path_finder.hpp  paths between pairs of cells of a grid map, thousands at a time
//   mlmq/phold.hpp                       the benchmark of discrete-event simulation
//   mlmq/stop.hpp                        ends calls from another thread
//
// Objects are handles: copies refer to the same object. Graphs, maps, models and results are immutable and may be
// shared by any number of threads. A device runs one call at a time: calls of its solvers, path finders and simulators
// wait for each other, so these may be shared by threads, too. Different devices work in parallel.
//
// Errors are exceptions, declared in mlmq/error.hpp. An object stays usable after one of its functions has thrown,
// except after a device_error with `lost` set.
#pragma once

#include <string>

#include "mlmq/batch.hpp"
#include "mlmq/centrality.hpp"
#include "mlmq/configuration.hpp"
#include "mlmq/device.hpp"
#include "mlmq/error.hpp"
#include "mlmq/graph.hpp"
#include "mlmq/grid.hpp"
#include "mlmq/path_finder.hpp"
#include "mlmq/phold.hpp"
#include "mlmq/reduction.hpp"
#include "mlmq/solver.hpp"
#include "mlmq/stop.hpp"

namespace mlmq {

/// "0.1.0".
[[nodiscard]] MLMQ_API std::string library_version();

}  // namespace mlmq
