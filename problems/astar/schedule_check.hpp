// SPDX-License-Identifier: Apache-2.0
// The check of path finding for `mlmq check`: both algorithms, both modes, every open list and table, compared with A*
// on processors.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::astar {

/// Implementations of check_entry::subjects and check_entry::run.
[[nodiscard]] std::vector<std::string> checked_searches();
[[nodiscard]] problems::check_report check_searches(const problems::check_request& request,
                                                    const problems::check_observer& progress);

}  // namespace mlmq::astar
