// SPDX-License-Identifier: Apache-2.0
// Which problem a command on databases is about.
#pragma once

#include <string>
#include <vector>

#include "tuner/workload_features.hpp"

namespace mlmq::cli {

/// `asked`, or when it is empty the only problem that has results in the databases.
/// @throws input_error when there is none or several, naming them, and for what is no database
[[nodiscard]] std::string recorded_problem(const std::vector<std::string>& databases, const std::string& asked);

/// `asked`, or when it is empty a problem that takes the workloads of the database.
/// @throws input_error when they are of several kinds, or of one that no problem takes, and for what is no database
[[nodiscard]] std::string problem_of_workloads(const std::string& database, const std::string& asked);

/// What the workloads of a problem say about their features; nothing for a problem that this program does not have.
[[nodiscard]] const tuner::workload_features& features_of_problem(const std::string& problem);

}  // namespace mlmq::cli
