// SPDX-License-Identifier: Apache-2.0
// Shortest paths on graphs with hubs, pushed near the source and pulled elsewhere (kernels/near_pull/), as a solver.
#pragma once

#include <memory>

#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {

[[nodiscard]] std::unique_ptr<solver> make_near_pull_solver(const search_input& input);

}  // namespace mlmq::problems
