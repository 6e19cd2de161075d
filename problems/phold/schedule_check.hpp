// SPDX-License-Identifier: Apache-2.0
// The kernels of PHOLD as `mlmq check` runs them: every solver, every queue in every mode, against the simulation on
// processors.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::phold {

/// As check_entry::subjects and check_entry::run.
[[nodiscard]] std::vector<std::string> checked_simulations();
[[nodiscard]] problems::check_report check_simulations(const problems::check_request& asked,
                                                       const problems::check_observer& progress);

}  // namespace mlmq::phold
