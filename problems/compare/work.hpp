// SPDX-License-Identifier: Apache-2.0
// The work of contestants, counted in separate runs because counting takes time. Peers may print theirs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "db/records.hpp"
#include "problems/compare/context.hpp"
#include "problems/compare/group_runner.hpp"

namespace mlmq::compare {

/// Runs the planned and unfinished counting trials until the caller stops the comparison. @throws tuner::device_lost
void count_work(const context& common, group_runner& runner, const std::vector<db::planned_trial>& planned);

/// Returns the counted work by configuration row, as the problem defines work; configurations without a count are
/// absent.
[[nodiscard]] std::map<std::int64_t, double> counted_work(const context& common,
                                                          const std::vector<db::planned_trial>& planned);

}  // namespace mlmq::compare
