// SPDX-License-Identifier: Apache-2.0
// Queries of PHOLD: `until=250`, the virtual time before which all events are executed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/phold/phold_workload.hpp"
#include "tuner/query.hpp"

namespace mlmq::phold {

[[nodiscard]] std::span<const tuner::named_meaning> end_settings();

/// How many queries the rules make at most. @throws input_error at the place of a setting that cannot be used
[[nodiscard]] std::uint64_t count_ends(const tuner::query_rules& rules);

/// @throws input_error as count_ends(), and for an end that is too late for the model
[[nodiscard]] std::vector<tuner::query> choose_ends(const model_settings& settings, const tuner::query_rules& rules);

/// The end in ticks, above 0. @throws input_error naming the query
[[nodiscard]] std::uint64_t end_of(const model_settings& settings, const tuner::query& asked);

}  // namespace mlmq::phold
