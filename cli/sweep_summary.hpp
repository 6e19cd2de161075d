// SPDX-License-Identifier: Apache-2.0
// Text output of a sweep: plan and summary.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "db/objective.hpp"
#include "db/records.hpp"
#include "tuner/shard.hpp"
#include "tuner/sweep.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::cli {

/// Counts the failed trials.
[[nodiscard]] std::size_t count_failed(const std::map<db::outcome, std::size_t>& outcomes);

/// Returns a value of an objective, such as "4.31 ms" or "GB/s 812".
[[nodiscard]] std::string objective_text(const db::objective& criterion, double value);

/// Returns "failed: 2 timeout, 1 crashed", or "no failures".
[[nodiscard]] std::string outcomes_text(const std::map<db::outcome, std::size_t>& outcomes);

/// Returns "2 files cannot be used and are left out: a.gr:3: vertex 9 is out of range; b.mtx:2: …".
[[nodiscard]] std::string left_out_text(const std::vector<tuner::left_out_workload>& workloads);

/// Prints the size of a sweep without loading workloads.
void print_plan(const tuner::sweep& planned, const tuner::shard& part);

/// Prints the finished trials, a breakdown of the time, and the failures.
/// @param devices one per worker @param file the database
void print_summary(const tuner::sweep_summary& summary, std::span<const backends::device_info> devices,
                   const std::string& file);

}  // namespace mlmq::cli
