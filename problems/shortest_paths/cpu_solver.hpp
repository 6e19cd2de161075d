// SPDX-License-Identifier: Apache-2.0
// The searches of cpu_solvers/ as configurations: compiled in, checked, counted and recorded like kernels.
#pragma once

#include <memory>
#include <string>

#include "problems/shortest_paths/solver.hpp"

namespace mlmq::problems {

/// Whether the value of the parameter `solver` names a search that runs on processors.
[[nodiscard]] bool is_cpu_solver(const std::string& name);

/// Whether such a search takes all threads that it is given, or one.
[[nodiscard]] bool takes_all_threads(const std::string& name);

[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const search_input& input);

/// The traits are part of a variant's identity in records; the solvers look at the graph itself.
[[nodiscard]] backends::kernel_source cpu_solver_variant(const tuner::configuration& chosen,
                                                         const variant_traits& traits);

}  // namespace mlmq::problems
