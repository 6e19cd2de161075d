// SPDX-License-Identifier: Apache-2.0
// Documents of `mlmq problems --format json`.
#pragma once

#include "cli/json_output.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {

/// Returns all problems with their names and descriptions.
[[nodiscard]] json_document problems_document();
/// Returns all declarations of one problem.
[[nodiscard]] json_document problem_document(const problems::problem_entry& entry);

}  // namespace mlmq::cli
