// SPDX-License-Identifier: Apache-2.0
// libmlmq: shortest paths on a GPU, on processors or on a simulated GPU, with the work queue that suits what is searched.
// This header has all of it:
//
//   mlmq/graph.hpp, mlmq/solver.hpp      from one vertex of a graph to all
//   mlmq/batch.hpp                       from thousands of vertices
//   mlmq/centrality.hpp                  how central each vertex is
//   mlmq/grid.hpp, mlmq/path_finder.hpp  between pairs of cells of a grid map, thousands at a time
//   mlmq/phold.hpp                       the benchmark of discrete-event simulation
//   mlmq/stop.hpp                        ends calls from another thread
//
// Objects are handles: a copy means the same thing. Threads: graphs, maps, models and what was found never change and may
// be used by any number of threads. A device does one thing at a time; calls that need it, of its solvers, path finders and
// simulators too, wait for each other, so that these may be shared as well. Different devices work side by side.
//
// Errors are exceptions, in mlmq/error.hpp. An object whose function has thrown can be used on, unless it was a
// device_error with `lost` set.
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
#include "mlmq/solver.hpp"
#include "mlmq/stop.hpp"

namespace mlmq {

/// "0.1.0".
[[nodiscard]] MLMQ_API std::string library_version();

}  // namespace mlmq
