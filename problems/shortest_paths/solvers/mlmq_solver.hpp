// SPDX-License-Identifier: Apache-2.0
// The multi-level queue (kernels/search.cuh) as a solver.
#pragma once

#include <memory>

#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/resident_grid.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {

/// Returns the bounds for the blocks of a launch.
[[nodiscard]] grid_bounds grid_bounds_of(const search_configuration& numbers);

/// @throws backends::launch_error if the blocks of a configuration cannot be resident, however few registers they use
void require_mlmq_grid(const tuner::configuration& chosen, const backends::device_info& device);

[[nodiscard]] std::unique_ptr<solver> make_mlmq_solver(const search_input& input);

}  // namespace mlmq::problems
