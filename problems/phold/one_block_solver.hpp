// SPDX-License-Identifier: Apache-2.0
// The solver with one block and one calendar for all entities: kernels/phold/one_block.cu.
#pragma once

#include <memory>

#include "problems/phold/solver.hpp"

namespace mlmq::phold {

[[nodiscard]] std::unique_ptr<solver> make_one_block_solver(const solver_input& input);

}  // namespace mlmq::phold
