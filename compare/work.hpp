// SPDX-License-Identifier: Apache-2.0
// The work of contestants: counted in runs of its own, because counting takes time. Peers print theirs, or not.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compare/context.hpp"
#include "compare/group_runner.hpp"
#include "db/records.hpp"

namespace mlmq::compare {

/// Runs what was planned and is not finished, until the caller stops it. @throws tuner::device_lost
void count_work(const context& common, group_runner& runner, const std::vector<db::planned_trial>& planned);

/// Row of a configuration to what its runs counted, as the problem calls work; those of which nothing is known are absent.
[[nodiscard]] std::map<std::int64_t, double> counted_work(const context& common,
                                                          const std::vector<db::planned_trial>& planned);

}  // namespace mlmq::compare
