// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels that are pushed or pulled (kernels/push_pull/) as a solver.
#pragma once

#include <memory>

#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {

/// @param input its kind must be search_kind::bfs
[[nodiscard]] std::unique_ptr<solver> make_push_pull_solver(const search_input& input);

}  // namespace mlmq::problems
