// SPDX-License-Identifier: Apache-2.0
// The check of PHOLD for `mlmq check`: every solver, every queue in every mode, compared with the simulation on
// processors.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::phold {

/// Implementations of check_entry::subjects and check_entry::run.
[[nodiscard]] std::vector<std::string> checked_simulations();
[[nodiscard]] problems::check_report check_simulations(const problems::check_request& request,
                                                       const problems::check_observer& progress);

}  // namespace mlmq::phold
