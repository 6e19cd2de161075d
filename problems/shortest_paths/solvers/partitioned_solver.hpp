// SPDX-License-Identifier: Apache-2.0
// The partitioned search (kernels/partitioned/partitioned.cu) as a solver.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "problems/shortest_paths/solvers/graph_parts.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

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

/// Sets variant_traits::slots_per_thread and has_exact_sums. @throws backends::launch_error like plan_parts()
void set_part_traits(const tuner::configuration& chosen, const search_input& input, variant_traits& traits);

/// Adds the macros that depend on these two.
void add_part_macros(const variant_traits& traits, std::map<std::string, std::string>& macros);

}  // namespace mlmq::problems
