// SPDX-License-Identifier: Apache-2.0
// Registers the fuzzing of the queues of shortest paths for `mlmq check`.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::problems {

/// Returns the names of the pairs of queues and of the competitors, as in name_of(queue_pair).
[[nodiscard]] std::vector<std::string> queue_pair_names();

/// Runs the schedules of a request. Settings: graphs, problem (sssp, bfs), weights (uint32, float32).
/// @throws input_error for an unknown graph
[[nodiscard]] check_report check_queue_pairs(const check_request& request, const check_observer& progress);

}  // namespace mlmq::problems
