// SPDX-License-Identifier: Apache-2.0
// The option --code, which selects trials by the version of their kernel code.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/json_output.hpp"
#include "db/code.hpp"

namespace mlmq::cli {

struct code_option {
  std::string code = "newest";  ///< see db::store::open_record()

  void add_to(CLI::App& command);
};

/// Prints a note to standard error if trials of other code are left out.
void note_hidden_trials(const db::hidden_trials& hidden);

[[nodiscard]] json_document other_code_document(const db::hidden_trials& hidden);

}  // namespace mlmq::cli
