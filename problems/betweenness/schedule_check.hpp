// SPDX-License-Identifier: Apache-2.0
// `mlmq check`: the kernel of betweenness under many schedules of the simulator.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"

namespace mlmq::betweenness {

[[nodiscard]] std::vector<std::string> checked_betweenness();
/// @throws what problems::check_instances() throws
[[nodiscard]] problems::check_report check_betweenness(const problems::check_request& request,
                                                       const problems::check_observer& progress);

}  // namespace mlmq::betweenness
