// SPDX-License-Identifier: Apache-2.0
// Recorded results of a group as rows of the table.
#pragma once

#include <vector>

#include "db/records.hpp"
#include "problems/compare/context.hpp"
#include "problems/compare/device_session.hpp"
#include "problems/compare/table.hpp"

namespace mlmq::compare {

/// Returns one row per finished contestant, in the order of the plan. The names of our rows say whether the selector
/// chose them.
[[nodiscard]] std::vector<contestant_result> rows_of(const context& common, const device_session& session,
                                                     const group& group, const std::vector<db::planned_trial>& planned);

}  // namespace mlmq::compare
