// SPDX-License-Identifier: Apache-2.0
// `mlmq check`: the kernels of batches under many schedules of the simulator.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::batches {

[[nodiscard]] std::vector<std::string> checked_batches();
/// @throws what problems::check_instances() throws
[[nodiscard]] problems::check_report check_batches(const problems::check_request& request,
                                                   const problems::check_observer& progress);

}  // namespace mlmq::batches
