// SPDX-License-Identifier: Apache-2.0
// The searches of backends/cpu/searches/ as configurations: built into the program, but checked, counted and recorded
// like kernels.
#pragma once

#include <memory>

#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {

[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const search_input& input);

/// Makes the variant of a configuration. The traits identify it in records; the solvers read the graph itself.
[[nodiscard]] backends::kernel_source cpu_solver_variant(const tuner::configuration& chosen,
                                                         const variant_traits& traits);

}  // namespace mlmq::problems
