// SPDX-License-Identifier: Apache-2.0
// ADDS (kernels/baselines/adds.cu) as a solver.
#pragma once

#include <memory>

#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {

[[nodiscard]] std::unique_ptr<solver> make_adds_solver(const search_input& input);

}  // namespace mlmq::problems
