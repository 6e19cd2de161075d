// SPDX-License-Identifier: Apache-2.0
// Roles of options that name files, and a check that outputs do not overwrite inputs.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace mlmq::cli {

/// Use of the file or folder that an option names.
enum class file_use { none, read, write };

/// Role of one option. Every option that takes text has one (tests/cli/test_outputs.py).
struct file_role {
  file_use use = file_use::none;
  std::vector<std::string> names;     ///< write: patterns of the files that the command writes if the path is a folder
  std::vector<std::string> keywords;  ///< read: values that name no file, such as "none"
};

/// Root of the command line. Before a command starts, rejects outputs that are also inputs or other outputs.
class program : public CLI::App {
 public:
  using CLI::App::App;

  void set_role(const CLI::Option& option, file_role role) { roles_.insert_or_assign(&option, std::move(role)); }
  /// Returns the role of an option, or null.
  [[nodiscard]] const file_role* role_of(const CLI::Option& option) const;

  /// @throws input_error that names the file and both options
  void pre_callback() override;

 private:
  std::map<const CLI::Option*, file_role> roles_;
};

/// Returns the program of a command.
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
