// SPDX-License-Identifier: Apache-2.0
// Determines the problem of a command on databases.
#pragma once

#include <string>
#include <vector>

namespace mlmq::cli {

/// Returns `requested`, or if it is empty the only problem with results in the databases.
/// @throws input_error if there is none or several, naming them, and for a file that is not a database
[[nodiscard]] std::string recorded_problem(const std::vector<std::string>& databases, const std::string& requested);

/// Returns `requested`, or if it is empty a problem that accepts the workloads of the database.
/// @throws input_error for workloads of several kinds or of a kind without a problem, and for a file that is not a
/// database
[[nodiscard]] std::string problem_of_workloads(const std::string& database, const std::string& requested);

}  // namespace mlmq::cli
