// SPDX-License-Identifier: Apache-2.0
// The time limit of a run: a watchdog that ends a run that ignores the limit, and the report of a run that was ended.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "backends/backend.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Returns a watchdog for a run that should end itself at its time limit. The watchdog measures wall time, which
/// includes more than the run, so it waits longer.
/// @param set_abort_word  ends the run; called by another thread
[[nodiscard]] inline backends::watchdog watchdog_for(double time_limit_ms, std::function<void()> set_abort_word) {
  return {.limit_ms = 2 * time_limit_ms + 1000, .grace_ms = 2000, .fire = std::move(set_abort_word)};
}

/// Reports that a run has not finished in time.
inline void report_timeout(tuner::run_report& report, double time_limit_ms) {
  report.result = db::outcome::timeout;
  report.message = fmt::format("not finished after {:.4g} ms", time_limit_ms);
}

}  // namespace mlmq::problems
