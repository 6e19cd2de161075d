// SPDX-License-Identifier: Apache-2.0
// The command line as it is declared, as plain data: what completion scripts and manual pages are made from.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/file_roles.hpp"

namespace mlmq::cli {

struct declared_option {
  std::vector<std::string> names;    ///< "--db", "-h"; empty for a positional
  std::string positional;            ///< its name, "" for an option
  std::string value;                 ///< what it takes: "TEXT"; "" for a flag
  std::vector<std::string> choices;  ///< all values that it takes, where these are few
  std::string default_value;
  std::string meaning;
  bool required = false;
  std::optional<file_role> role;  ///< what the command does with the file that it names
};

struct declared_command {
  std::vector<std::string> words;  ///< "mlmq", "graph", "info"
  std::string meaning;
  std::vector<declared_option> options;
  std::vector<std::string> below;  ///< names of its subcommands

  /// "mlmq graph info"
  [[nodiscard]] std::string name() const;
};

/// The program itself first, then its commands with theirs, in the order of declaration; not those that are hidden.
[[nodiscard]] std::vector<declared_command> declared_commands(const CLI::App& app);

/// Returns all commands and options as JSON, for tests and other tools that walk over them.
[[nodiscard]] std::string declarations_text(const std::vector<declared_command>& commands);

/// A script that completes commands, options and their values in "bash", "zsh" or "fish".
/// @throws input_error for another shell
[[nodiscard]] std::string completion_script(const std::vector<declared_command>& commands, const std::string& shell);

/// The manual page of one command, as roff. @param all to refer to
[[nodiscard]] std::string manual_page(const declared_command& command, const std::vector<declared_command>& all,
                                      const std::string& version);

/// "mlmq-graph-info"
[[nodiscard]] std::string manual_name(const declared_command& command);

}  // namespace mlmq::cli
