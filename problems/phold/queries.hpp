// SPDX-License-Identifier: Apache-2.0
// Queries of PHOLD: `until=250` executes all events before this virtual time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/phold/phold_workload.hpp"
#include "tuner/query.hpp"

namespace mlmq::phold {

[[nodiscard]] std::span<const tuner::named_meaning> end_settings();

/// Returns the maximum number of queries that the rules make. @throws input_error at the place of an invalid setting
[[nodiscard]] std::uint64_t count_ends(const tuner::query_rules& rules);

/// Returns the queries. @throws input_error like count_ends(), and for an end that is too late for the model
[[nodiscard]] std::vector<tuner::query> choose_ends(const model_settings& settings, const tuner::query_rules& rules);

/// Returns the end in ticks, which is positive. @throws input_error naming the query
[[nodiscard]] std::uint64_t end_of(const model_settings& settings, const tuner::query& query);

}  // namespace mlmq::phold
