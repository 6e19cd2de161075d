// SPDX-License-Identifier: Apache-2.0
// Searches with the kernel astar, one warp per search.
#pragma once

#include <memory>

#include "problems/astar/grid.hpp"
#include "problems/astar/solver.hpp"

namespace mlmq::astar {

inline constexpr const char* kernel_file = "astar/astar.cu";

/// Returns the variant of a configuration for a map.
[[nodiscard]] backends::kernel_source kernel_variant(const grid& map, const tuner::configuration& chosen,
                                                     tuner::instrumentation mode);

/// @param device, map must outlive the solver
[[nodiscard]] std::unique_ptr<solver> make_kernel_solver(backends::backend& device, const grid& map);

}  // namespace mlmq::astar
