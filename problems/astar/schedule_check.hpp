// SPDX-License-Identifier: Apache-2.0
// The kernel of path finding as `mlmq check` runs it: both algorithms, both modes, every open list and table, against A* on
// processors.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::astar {

/// As check_entry::subjects and check_entry::run.
[[nodiscard]] std::vector<std::string> checked_searches();
[[nodiscard]] problems::check_report check_searches(const problems::check_request& asked,
                                                    const problems::check_observer& progress);

}  // namespace mlmq::astar
