// SPDX-License-Identifier: Apache-2.0
// What `mlmq problems --format json` prints.
#pragma once

#include "cli/json_output.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {

/// All problems, by name.
[[nodiscard]] json_document problems_document();
/// All that one problem declares.
[[nodiscard]] json_document problem_document(const problems::problem_entry& entry);

}  // namespace mlmq::cli
