// SPDX-License-Identifier: Apache-2.0
// Meanings of the work counters of shortest paths, and their values in reports.
#pragma once

#include <span>

#include "backends/backend.hpp"
#include "search_abi.cuh"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Counters that the solver of ADDS adds to those of the kernel if the number of open buckets is dynamic.
inline constexpr const char* mean_open_counter = "mean_open";
inline constexpr const char* open_changes_counter = "open_changes";

/// The counters in the order of mlmq::counter, followed by those above; reports, databases and documents use this
/// order.
[[nodiscard]] std::span<const tuner::named_meaning> counter_meanings();

/// Returns the name of a counter, such as "pops".
[[nodiscard]] const char* name_of(counter work_counter);

/// Adds counters of a run to its report. @param counters their values in device memory, one per mlmq::counter
void report_counters(backends::backend& device, const backends::device_memory& counters,
                     std::span<const counter> reported, tuner::run_report& report);

}  // namespace mlmq::problems
