// SPDX-License-Identifier: Apache-2.0
// The simulations of simulation.hpp as configurations, which are checked and recorded like kernels.
#pragma once

#include <memory>
#include <string>

#include "problems/phold/solver.hpp"

namespace mlmq::phold {

/// @param name cpu_heap, cpu_heaps or cpu_calendar
[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const std::string& name, const solver_input& input);

[[nodiscard]] backends::kernel_source cpu_solver_variant(const std::string& name);

}  // namespace mlmq::phold
