// SPDX-License-Identifier: Apache-2.0
// The command line as it is declared, as plain data: the source of --help, completion scripts and manual pages.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/file_roles.hpp"

namespace mlmq::cli {

struct declared_option {
  std::vector<std::string> names;     ///< "--db", "-h"; empty for a positional
  std::string positional;             ///< its name, "" for an option
  std::string value;                  ///< placeholder of its value: "TEXT", "DEVICE"; "" for a flag
  std::vector<std::string> choices;   ///< all values that it takes, where these are few
  std::vector<std::string> excludes;  ///< options that cannot go together with it
  std::string default_value;
  std::string meaning;
  bool required = false;
  std::optional<file_role> role;  ///< what the command does with the file that it names
  bool repeatable = false;        ///< takes several values

  /// "-o, --output TEXT", or the name of a positional.
  [[nodiscard]] std::string heading() const;
};

struct declared_command {
  std::vector<std::string> words;  ///< "mlmq", "graph", "info"
  std::string meaning;
  std::string group;  ///< title that it stands under among its neighbours
  std::vector<declared_option> options;
  std::vector<std::string> below;                   ///< names of its subcommands
  std::span<const std::string_view> examples = {};  ///< command lines; of static storage

  /// "mlmq graph info"
  [[nodiscard]] std::string name() const;
  /// "mlmq graph info [OPTIONS] graph"
  [[nodiscard]] std::string usage() const;
  /// Whether `other` is one of its subcommands.
  [[nodiscard]] bool is_parent_of(const declared_command& other) const;
};

/// Commands of one group, in the order of declaration.
struct command_group {
  std::string title;
  std::vector<const declared_command*> commands;
};

/// The program itself first, then its commands with theirs, in the order of declaration; not those that are hidden.
[[nodiscard]] std::vector<declared_command> declared_commands(const CLI::App& app);

/// Returns all commands and options as JSON, for tests and other tools that walk over them.
[[nodiscard]] std::string declarations_text(const std::vector<declared_command>& commands);

/// The subcommands of `command` by group. @param commands as declared_commands() returns them; outlives the result
[[nodiscard]] std::vector<command_group> subcommands_of(const declared_command& command,
                                                        const std::vector<declared_command>& commands);

/// Command lines that show what a command is for; empty for an unknown one. @param command_name "mlmq graph info"
[[nodiscard]] std::span<const std::string_view> examples_of(std::string_view command_name);

/// The text of --help: arguments, options, subcommands and examples, in lines of at most `width` columns.
[[nodiscard]] std::string help_page(const declared_command& command, const std::vector<declared_command>& commands,
                                    std::size_t width);

/// Columns of the terminal that standard output goes to; elsewhere COLUMNS of the environment, or 80. At least 40.
[[nodiscard]] std::size_t terminal_width();

/// The text of --help of a command at the width of the terminal, hidden commands included.
[[nodiscard]] std::string help_text(const CLI::App& app);

/// A script that completes commands, options and their values in "bash", "zsh" or "fish".
/// @throws input_error for another shell
[[nodiscard]] std::string completion_script(const std::vector<declared_command>& commands, const std::string& shell);

/// The manual page of one command, as roff. @param commands to refer to
[[nodiscard]] std::string manual_page(const declared_command& command, const std::vector<declared_command>& commands,
                                      const std::string& version);

/// "mlmq-graph-info"
[[nodiscard]] std::string manual_name(const declared_command& command);

}  // namespace mlmq::cli
