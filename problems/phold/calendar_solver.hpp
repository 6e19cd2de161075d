// SPDX-License-Identifier: Apache-2.0
// The solver with a calendar per entity: kernels/phold/calendar.cu.
#pragma once

#include <memory>

#include "problems/phold/solver.hpp"

namespace mlmq::phold {

[[nodiscard]] std::unique_ptr<solver> make_calendar_solver(const solver_input& input);

}  // namespace mlmq::phold
