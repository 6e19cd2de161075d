// SPDX-License-Identifier: Apache-2.0
// Options of commands on databases: the problem, and the version of the kernel code of the trials.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/json_output.hpp"
#include "db/code.hpp"

namespace mlmq::cli {

/// Returns `requested`, or if it is empty the only problem with results in the databases.
/// @throws input_error if there is none or several, naming them, and for a file that is not a database
[[nodiscard]] std::string recorded_problem(const std::vector<std::string>& databases, const std::string& requested);

/// Returns `requested`, or if it is empty a problem that accepts the workloads of the database.
/// @throws input_error for workloads of several kinds or of a kind without a problem, and for a file that is not a
/// database
[[nodiscard]] std::string problem_of_workloads(const std::string& database, const std::string& requested);

/// The option --code, which selects trials by the version of their kernel code.
struct code_option {
  std::string code = "newest";  ///< see db::store::open_record()

  void add_to(CLI::App& command);
};

/// Prints a note to standard error if trials of other code are left out.
void note_hidden_trials(const db::hidden_trials& hidden);

[[nodiscard]] json_document other_code_document(const db::hidden_trials& hidden);

}  // namespace mlmq::cli
