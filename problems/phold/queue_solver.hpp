// SPDX-License-Identifier: Apache-2.0
// The solver with a small queue per entity: kernels/phold/queues.cu.
#pragma once

#include <memory>

#include "problems/phold/solver.hpp"

namespace mlmq::phold {

[[nodiscard]] std::unique_ptr<solver> make_queue_solver(const solver_input& input);

}  // namespace mlmq::phold
