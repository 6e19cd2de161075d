// SPDX-License-Identifier: Apache-2.0
// The partitioned search (kernels/partitioned/partitioned.cu) as a solver.
#pragma once

#include <memory>

#include "problems/shortest_paths/graph_parts.hpp"
#include "problems/shortest_paths/solver.hpp"

namespace mlmq::problems {

[[nodiscard]] std::unique_ptr<solver> make_partitioned_solver(const search_input& input);

/// The parts that a configuration of this solver needs, and the slots per thread.
struct part_plan {
  std::shared_ptr<const graph_parts> parts;
  unsigned slots_per_thread;
};

/// Partitions the graph for a configuration.
/// @throws backends::launch_error if the graph does not fit; the message suggests a remedy
[[nodiscard]] part_plan plan_parts(const tuner::configuration& chosen, const graph::csr_graph& graph, part_store& store,
                                   const backends::device_info& device);

}  // namespace mlmq::problems
