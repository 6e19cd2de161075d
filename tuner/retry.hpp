// SPDX-License-Identifier: Apache-2.0
// Repeats failed trials of a sweep.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {

/// Parses "crashed,timeout"; "failed" means every outcome except ok. @throws input_error for an unknown outcome and for
/// ok
[[nodiscard]] std::vector<db::outcome> parse_failures(std::string_view text);

struct retried_trials {
  std::map<db::outcome, std::size_t> again;  ///< trials that are pending again, by former outcome
  /// Number of trials that were not reset because they failed with other kernel code. The plan has new trials for the
  /// current code.
  std::size_t of_other_code = 0;
};

/// Resets finished trials with these outcomes to pending: those of the plan's experiment, devices and workloads in
/// `part`.
/// @param learns whether the experiment's strategy learns; a shard then consists of whole workloads
[[nodiscard]] retried_trials retry_failed(const sweep_plan& plan, const problem& problem, db::store& store,
                                          const shard& part, bool learns, std::span<const db::outcome> outcomes);

}  // namespace mlmq::tuner
