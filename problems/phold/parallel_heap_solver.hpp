// SPDX-License-Identifier: Apache-2.0
// Simulates with one parallel heap for the events of all entities.
#pragma once

#include <memory>

#include "problems/phold/solver.hpp"

namespace mlmq::phold {

[[nodiscard]] std::unique_ptr<solver> make_parallel_heap_solver(const solver_input& input);

}  // namespace mlmq::phold
