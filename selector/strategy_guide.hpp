// SPDX-License-Identifier: Apache-2.0
// What the strategies that learn are given: the selector's library, and for a warm start what the shipped selector knows.
#pragma once

#include "db/records.hpp"
#include "tuner/problem.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::selector {

/// Whether the shipped selector was trained for this problem.
[[nodiscard]] bool can_warm_start(const tuner::problem& problem);

/// @throws input_error starting with the place of `settings` for a warm start of a problem that the shipped selector was
/// not trained for
void check_warm_start(const tuner::strategy_settings& settings, const tuner::problem& problem);

/// For one workload. Recommended are the shipped selector's configurations that it expects to be fastest there.
/// @throws input_error as check_warm_start, and when the workload's record lacks a feature
[[nodiscard]] tuner::strategy_guide search_guide_for(const tuner::strategy_settings& settings,
                                                     const tuner::problem& problem, const db::workload_record& record);

}  // namespace mlmq::selector
