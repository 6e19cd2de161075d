// SPDX-License-Identifier: Apache-2.0
// `mlmq check`: the multi-source kernels under many schedules of the simulator.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::multi_source {

[[nodiscard]] std::vector<std::string> checked_subjects();
/// @throws what problems::check_instances() throws
[[nodiscard]] problems::check_report run_schedule_check(const problems::check_request& request,
                                                        const problems::check_observer& progress);

}  // namespace mlmq::multi_source
