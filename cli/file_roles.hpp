// SPDX-License-Identifier: Apache-2.0
// Roles of the options that name files, and the guard that keeps outputs from overwriting inputs.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace mlmq::cli {

/// What a command does with the file or folder that an option names.
enum class file_use { none, read, write };

/// The role of one option. Every option that takes text has one (tests/cli/test_outputs.py).
struct file_role {
  file_use use = file_use::none;
  std::vector<std::string> names;     ///< write: patterns of the files that the command writes if the path is a folder
  std::vector<std::string> keywords;  ///< read: values that name no file, such as "none"
};

/// The root of the command line. Refuses a command whose output is one of its inputs or another output of it, after
/// parsing and before the command starts.
class program : public CLI::App {
 public:
  using CLI::App::App;

  void set_role(const CLI::Option& option, file_role role) { roles_.insert_or_assign(&option, std::move(role)); }
  /// Returns null for an option without a role.
  [[nodiscard]] const file_role* role_of(const CLI::Option& option) const;

  /// @throws input_error that names the file and both options
  void pre_callback() override;

 private:
  std::map<const CLI::Option*, file_role> roles_;
};

/// Returns the program that a command belongs to.
[[nodiscard]] const program& program_of(const CLI::App& command);

/// Declares that these options of a command name files, folders or patterns that it only reads.
///
/// @param options names as in CLI::App::get_option(): "--model", or "graph" of a positional
/// @param keywords values of these options that name no file
void reads_files(CLI::App& command, std::initializer_list<const char*> options, std::vector<std::string> keywords = {});

/// Declares that these options of a command name files or folders that it creates, replaces or extends.
///
/// @param names if a path is a folder: patterns of the files that the command writes into it
void writes_files(CLI::App& command, std::initializer_list<const char*> options, std::vector<std::string> names = {});

/// Declares that these options of a command take text that names no file.
void takes_no_files(CLI::App& command, std::initializer_list<const char*> options);

}  // namespace mlmq::cli
