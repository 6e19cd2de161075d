// SPDX-License-Identifier: Apache-2.0
// Declarations of the command line as plain data, from which --help, completion scripts and manual pages are generated.
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
  std::string positional;             ///< name of a positional argument; "" for an option
  std::string value;                  ///< placeholder of the value: "TEXT", "DEVICE"; "" for a flag
  std::vector<std::string> choices;   ///< all allowed values, if they are enumerated
  std::vector<std::string> excludes;  ///< options that cannot be combined with this one
  std::string default_value;
  std::string meaning;
  std::string group;  ///< title of the option's group in --help
  bool required = false;
  std::optional<file_role> role;  ///< use of the named file, if any
  bool repeatable = false;        ///< takes several values

  /// Returns "-o, --output TEXT", or the name of a positional argument.
  [[nodiscard]] std::string heading() const;
};

struct declared_command {
  std::vector<std::string> words;  ///< "mlmq", "graph", "info"
  std::string meaning;
  std::string group;  ///< title of the command's group in --help
  std::vector<declared_option> options;
  std::vector<std::string> below;                   ///< names of the command's subcommands
  std::span<const std::string_view> examples = {};  ///< command lines with static storage duration

  /// Returns the full name, such as "mlmq graph info".
  [[nodiscard]] std::string name() const;
  /// Returns the usage line, such as "mlmq graph info [OPTIONS] graph".
  [[nodiscard]] std::string usage() const;
  /// Returns whether `other` is a subcommand of this command.
  [[nodiscard]] bool is_parent_of(const declared_command& other) const;
};

/// Commands of one group, in the order of declaration.
struct command_group {
  std::string title;
  std::vector<const declared_command*> commands;
};

/// Returns the program itself and all visible commands and subcommands, in the order of declaration.
[[nodiscard]] std::vector<declared_command> declared_commands(const CLI::App& app);

/// Returns all commands and options as JSON, for tests and other tools.
[[nodiscard]] std::string declarations_text(const std::vector<declared_command>& commands);

/// Returns the subcommands of `command` by group. @param commands from declared_commands(); must outlive the result
[[nodiscard]] std::vector<command_group> subcommands_of(const declared_command& command,
                                                        const std::vector<declared_command>& commands);

/// Returns example command lines; empty for an unknown command. @param command_name "mlmq graph info"
[[nodiscard]] std::span<const std::string_view> examples_of(std::string_view command_name);

/// Returns the text of --help: arguments, options, subcommands and examples, in lines of at most `width` columns.
/// Headings are bold if standard output has colours.
[[nodiscard]] std::string help_page(const declared_command& command, const std::vector<declared_command>& commands,
                                    std::size_t width);

/// Returns the width of the terminal of standard output, or else the environment variable COLUMNS, or 80; at
/// least 40 and at most 100.
[[nodiscard]] std::size_t terminal_width();

/// Returns the text of --help of a command, which may be hidden, at the width of the terminal.
[[nodiscard]] std::string help_text(const CLI::App& app);

/// Returns a script that completes commands, options and their values in "bash", "zsh" or "fish".
/// @throws input_error for another shell
[[nodiscard]] std::string completion_script(const std::vector<declared_command>& commands, const std::string& shell);

/// Returns the manual page of a command as roff. @param commands for references
[[nodiscard]] std::string manual_page(const declared_command& command, const std::vector<declared_command>& commands,
                                      const std::string& version);

/// Returns the name of the manual page, such as "mlmq-graph-info".
[[nodiscard]] std::string manual_name(const declared_command& command);

}  // namespace mlmq::cli
