// SPDX-License-Identifier: Apache-2.0
// `mlmq solve GRAPH`: one search from one vertex to all.
#pragma once

#include "cli/solve_arguments.hpp"

namespace mlmq::cli {

/// Runs the search and writes the results. @return exit status @throws input_error, work_error
int solve_one(const solve_arguments& options);

}  // namespace mlmq::cli
