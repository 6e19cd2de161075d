// SPDX-License-Identifier: Apache-2.0
// Measuring failed trials of a sweep again.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {

/// "crashed,timeout"; "failed" is every outcome but ok. @throws input_error for an unknown outcome, and for ok
[[nodiscard]] std::vector<db::outcome> parse_failures(std::string_view text);

struct retried_trials {
  std::map<db::outcome, std::size_t> again;  ///< pending now, by what they were
  /// Left as they are: they failed with other kernel code than the present. The plan has trials of their own for that.
  std::size_t of_other_code = 0;
};

/// Makes the finished trials of the plan with these outcomes pending again: those of its experiment, on its devices and
/// workloads, in `part`.
/// @param learns whether the experiment's strategy does: then a part has whole workloads
[[nodiscard]] retried_trials retry_failed(const sweep_plan& plan, const problem& of, db::store& store,
                                          const shard& part, bool learns, std::span<const db::outcome> outcomes);

}  // namespace mlmq::tuner
