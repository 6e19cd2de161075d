// SPDX-License-Identifier: Apache-2.0
// Near-Far and Bellman-Ford (kernels/baselines/frontier_search.cuh) as solvers.
#pragma once

#include <memory>

#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {

/// @param has_far Near-Far; otherwise Bellman-Ford
[[nodiscard]] std::unique_ptr<solver> make_frontier_solver(const search_input& input, bool has_far);

}  // namespace mlmq::problems
