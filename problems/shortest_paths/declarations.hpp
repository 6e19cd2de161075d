// SPDX-License-Identifier: Apache-2.0
// Declarations of parameters by solver, for the table of solvers.
#pragma once

#include <vector>

#include "tuner/parameter.hpp"

namespace mlmq::problems {

/// Declares the queues, and the parameters of rows and blocks that most kernels have.
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_mlmq();
/// Declares the parameters of frontiers, and the rule for Δ.
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_frontier();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_adds();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_delta_stepping();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_processor_bfs();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_push_pull();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_partitioned();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_near_pull();

}  // namespace mlmq::problems
