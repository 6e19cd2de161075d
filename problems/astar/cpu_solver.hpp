// SPDX-License-Identifier: Apache-2.0
// Searches on processors as configurations: one thread per search; the threads of the device share the searches.
#pragma once

#include <memory>
#include <string>

#include "problems/astar/grid.hpp"
#include "problems/astar/solver.hpp"

namespace mlmq::astar {

/// Returns the name of a solver for make_searcher(): "astar" for "cpu_astar"; "" for the kernel.
[[nodiscard]] std::string searcher_of(const std::string& solver);

[[nodiscard]] backends::kernel_source cpu_variant(const std::string& solver);
/// Returns a hash of the source code of the searches.
[[nodiscard]] std::string cpu_source_hash();

/// @param device, map must outlive the solver
[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(backends::backend& device, const grid& map);

}  // namespace mlmq::astar
