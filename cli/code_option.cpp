// SPDX-License-Identifier: Apache-2.0
#include "cli/code_option.hpp"

#include <cstdio>

#include "cli/file_roles.hpp"
#include "cli/print_text.hpp"

namespace mlmq::cli {

void code_option::add_to(CLI::App& command) {
  command
      .add_option("--code", code,
                  "kernel code of the trials: newest (without code that newer code has replaced on the same device), "
                  "all, or a prefix of a kernel_source_hash")
      ->capture_default_str();
  takes_no_files(command, {"--code"});
}

void note_hidden_trials(const db::hidden_trials& hidden) {
  const std::string text = db::hidden_trials_text(hidden);
  if (!text.empty()) print_note("{}; --code all includes them", text);
}

json_document other_code_document(const db::hidden_trials& hidden) {
  return {{"trials", hidden.count}, {"versions", hidden.versions}};
}

}  // namespace mlmq::cli
