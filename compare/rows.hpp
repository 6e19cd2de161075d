// SPDX-License-Identifier: Apache-2.0
// What is on record of a group, as rows of the table.
#pragma once

#include <vector>

#include "compare/context.hpp"
#include "compare/stage.hpp"
#include "compare/table.hpp"
#include "db/records.hpp"

namespace mlmq::compare {

/// One row for each contestant that is finished, in the order of the plan; ours are named by who chose them.
[[nodiscard]] std::vector<contestant_result> rows_of(const context& common, const stage& on, const group& where,
                                                     const std::vector<db::planned_trial>& planned);

}  // namespace mlmq::compare
