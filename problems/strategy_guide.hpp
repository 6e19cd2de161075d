// SPDX-License-Identifier: Apache-2.0
// The input of learning strategies: for a warm start, the recommended configurations.
#pragma once

#include "backends/backend.hpp"
#include "db/records.hpp"
#include "tuner/problem.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::problems {

/// Returns whether its folder, or a selector installed for some device, recommends configurations of the problem.
[[nodiscard]] bool can_warm_start(const tuner::problem& problem);

/// @throws input_error, starting with the place of `settings`, if they request a warm start and nothing is recommended
///   for the problem
void check_warm_start(const tuner::strategy_settings& settings, const tuner::problem& problem);

/// Makes the guide for one workload on one device. A warm start begins with the first configurations of recommend().
/// @throws input_error like check_warm_start(), and if the workload's record lacks a feature
[[nodiscard]] tuner::strategy_guide search_guide_for(const tuner::strategy_settings& settings,
                                                     const tuner::problem& problem, const db::workload_record& record,
                                                     const backends::device_info& device);

}  // namespace mlmq::problems
