// SPDX-License-Identifier: Apache-2.0
// The fuzzing of the queues of shortest paths as `mlmq check` has it.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::problems {

/// The pairs of queues and the competitors, as name_of(queue_pair).
[[nodiscard]] std::vector<std::string> queue_pair_names();

/// Settings: graphs, problem (sssp, bfs), weights (uint32, float32).
/// @throws input_error for an unknown graph
[[nodiscard]] check_report check_queue_pairs(const check_request& asked, const check_observer& progress);

}  // namespace mlmq::problems
