// SPDX-License-Identifier: Apache-2.0
// What a sweep says to a person: before it starts, when it is not to start, and at its end.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "db/records.hpp"
#include "tuner/shard.hpp"
#include "tuner/sweep.hpp"

namespace mlmq::cli {

/// How many did not end well.
[[nodiscard]] std::size_t count_failed(const std::map<db::outcome, std::size_t>& outcomes);

/// "failed: 2 timeout, 1 crashed", or "no failures".
[[nodiscard]] std::string outcomes_text(const std::map<db::outcome, std::size_t>& outcomes);

/// "2 graphs have negative weights and are left out: A, B; --negative-weights absolute takes absolute values"
[[nodiscard]] std::string left_out_text(const std::vector<std::string>& files);

/// What a sweep would measure, found without loading a workload.
void print_plan(const tuner::sweep& planned, const tuner::shard& part);

/// What was measured, where the time went, and what has failed.
/// @param devices one for each worker @param file the database
void print_summary(const tuner::sweep_summary& summary, std::span<const backends::device_info> devices,
                   const std::string& file);

}  // namespace mlmq::cli
