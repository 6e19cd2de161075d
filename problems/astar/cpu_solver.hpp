// SPDX-License-Identifier: Apache-2.0
// Searches by processors as configurations: a search is by one thread, and all threads of the device take searches.
#pragma once

#include <memory>
#include <string>

#include "problems/astar/grid.hpp"
#include "problems/astar/solver.hpp"

namespace mlmq::astar {

/// What make_searcher() calls the solver of a configuration: "astar" for "cpu_astar"; "" for the kernel.
[[nodiscard]] std::string searcher_of(const std::string& solver);

[[nodiscard]] backends::kernel_source cpu_variant(const std::string& solver);
/// Hash of the sources of the searches.
[[nodiscard]] std::string cpu_source_hash();

/// Both outlive the solver.
[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(backends::backend& device, const grid& map);

}  // namespace mlmq::astar
