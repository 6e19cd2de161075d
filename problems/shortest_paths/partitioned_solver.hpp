// SPDX-License-Identifier: Apache-2.0
// The partitioned search (kernels/partitioned/partitioned.cu) as a solver.
#pragma once

#include <memory>

#include "problems/shortest_paths/graph_parts.hpp"
#include "problems/shortest_paths/solver.hpp"

namespace mlmq::problems {

[[nodiscard]] std::unique_ptr<solver> make_partitioned_solver(const search_input& input);

/// The parts that a configuration of this solver needs, and how many slots each thread gets.
struct part_plan {
  std::shared_ptr<const graph_parts> parts;
  unsigned slots_per_thread;
};

/// @throws backends::launch_error when the graph does not fit, saying what would help
[[nodiscard]] part_plan plan_parts(const tuner::configuration& chosen, const graph::csr_graph& graph, part_store& store,
                                   const backends::device_info& device);

}  // namespace mlmq::problems
