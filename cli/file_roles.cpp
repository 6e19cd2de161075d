// SPDX-License-Identifier: Apache-2.0
#include "cli/file_roles.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/output_file.hpp"
#include "problems/registry.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;

/// A path with the file that it refers to.
struct located_file {
  fs::path named;  ///< path as given on the command line
  fs::path path;   ///< absolute and without links, as far as it exists
  bool exists = false;
  struct stat status {};

  [[nodiscard]] bool is_folder() const { return exists && S_ISDIR(status.st_mode); }
  /// Returns whether the file is a device or a pipe, which cannot lose data by writing.
  [[nodiscard]] bool is_stream() const { return exists && !S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode); }
};

/// Resolves links; the last one may refer to a file that does not exist yet.
fs::path without_links(fs::path file) {
  constexpr int most_links = 40;  // the same limit as the operating system's
  std::error_code failure;
  for (int i = 0; i < most_links && fs::is_symlink(file, failure); ++i) {
    file = file.parent_path() / fs::read_symlink(file, failure);
  }
  const fs::path absolute = fs::absolute(file, failure);
  const fs::path real = fs::weakly_canonical(absolute, failure);
  return failure ? absolute.lexically_normal() : real;
}

located_file locate(const fs::path& named) {
  located_file file{.named = named, .path = without_links(named)};
  file.exists =
      (is_standard_output(named) ? ::fstat(STDOUT_FILENO, &file.status) : ::stat(named.c_str(), &file.status)) == 0;
  return file;
}

bool is_same(const located_file& first, const located_file& second) {
  if (!first.exists || !second.exists) return first.path == second.path;
  return first.status.st_dev == second.status.st_dev && first.status.st_ino == second.status.st_ino;
}

bool matches(const fs::path& file, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), file.filename().c_str(), 0) == 0;
  });
}

/// A file of an option.
struct option_file {
  const CLI::Option* option = nullptr;
  const file_role* role = nullptr;
  located_file file;
};

/// Returns whether writing to `output` changes `other`.
bool overwrites(const option_file& output, const located_file& other) {
  if (output.file.is_stream() || other.is_stream() || other.is_folder()) return false;
  if (!output.file.is_folder() && is_same(output.file, other)) return true;
  const std::vector<std::string>& names = output.role->names;
  if (output.file.path == other.path.parent_path() && matches(other.path, names)) return true;
  if (names.empty() || !output.file.is_folder() || !other.exists) return false;
  std::error_code ignored;
  // The folder may contain the other file under another name, as a link.
  for (const fs::directory_entry& entry : fs::directory_iterator(output.file.path, ignored)) {
    if (matches(entry.path(), names) && is_same(locate(entry.path()), other)) return true;
  }
  return false;
}

/// Returns the values of an option, or its default where it has none.
std::vector<std::string> values_of(const CLI::Option& option) {
  if (option.count() > 0) return option.results();
  std::string text = option.get_default_str();
  // CLI11 writes the default of a list as "[a,b]".
  if (text.starts_with('[') && text.ends_with(']')) return split(text.substr(1, text.size() - 2), ',');
  return {text};
}

bool is_workload(const fs::path& file) {
  static const std::vector<std::unique_ptr<tuner::problem>> all_problems = [] {
    std::vector<std::unique_ptr<tuner::problem>> instances;
    for (const problems::problem_entry& entry : problems::all_problems()) instances.push_back(entry.make());
    return instances;
  }();
  return std::any_of(all_problems.begin(), all_problems.end(),
                     [&](const auto& problem) { return problem->workloads().is_file(file); });
}

/// Adds the files of the options of a command and of its called subcommands.
void add_files(const program& root, const CLI::App& command, file_use use, std::vector<option_file>& files) {
  for (const CLI::Option* const option : command.get_options([](const CLI::Option*) { return true; })) {
    const file_role* const role = root.role_of(*option);
    if (role == nullptr || role->use != use) continue;
    for (const std::string& value : values_of(*option)) {
      const bool is_keyword = std::find(role->keywords.begin(), role->keywords.end(), value) != role->keywords.end();
      if (value.empty() || is_keyword) continue;
      files.push_back({option, role, locate(value)});
      if (use != file_use::read) continue;
      for (const fs::path& file : tuner::files_of(value, is_workload)) files.push_back({option, role, locate(file)});
    }
  }
  for (const CLI::App* const called : command.get_subcommands({})) {
    if (called->parsed()) add_files(root, *called, use, files);
  }
}

std::string name_of(const CLI::Option& option) {
  // get_name() of a hidden option is empty.
  const std::vector<std::string>& names = option.get_lnames();
  return names.empty() ? "'" + option.get_name() + "'" : "--" + names.front();
}

template <typename App>
App& root_of(App& command) {
  App* root = &command;
  while (root->get_parent() != nullptr) root = root->get_parent();
  return *root;
}

void declare(CLI::App& command, std::initializer_list<const char*> options, const file_role& role) {
  auto& root = dynamic_cast<program&>(root_of(command));
  for (const char* const name : options) root.set_role(*command.get_option(name), role);
}

}  // namespace

const file_role* program::role_of(const CLI::Option& option) const {
  const auto place = roles_.find(&option);
  return place == roles_.end() ? nullptr : &place->second;
}

void program::pre_callback() {
  std::vector<option_file> outputs;
  add_files(*this, *this, file_use::write, outputs);
  if (outputs.empty()) return;
  std::vector<option_file> inputs;
  add_files(*this, *this, file_use::read, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const option_file& output = outputs[i];
    for (const option_file& input : inputs) {
      if (!overwrites(output, input.file)) continue;
      throw input_error(fmt::format("{}: {} would overwrite {}, which {} reads; choose a different file",
                                    output.file.named.string(), name_of(*output.option), input.file.named.string(),
                                    name_of(*input.option)));
    }
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      const option_file& other = outputs[j];
      const bool share_standard_output = is_standard_output(output.file.named) && is_standard_output(other.file.named);
      if (i == j || (!share_standard_output && !overwrites(output, other.file))) continue;
      throw input_error(fmt::format("{}: {} and {} would write to the same file; choose different files",
                                    other.file.named.string(), name_of(*output.option), name_of(*other.option)));
    }
  }
}

const program& program_of(const CLI::App& command) { return dynamic_cast<const program&>(root_of(command)); }

void reads_files(CLI::App& command, std::initializer_list<const char*> options, std::vector<std::string> keywords) {
  declare(command, options, {.use = file_use::read, .names = {}, .keywords = std::move(keywords)});
}

void writes_files(CLI::App& command, std::initializer_list<const char*> options, std::vector<std::string> names) {
  declare(command, options, {.use = file_use::write, .names = std::move(names), .keywords = {}});
}

void takes_no_files(CLI::App& command, std::initializer_list<const char*> options) { declare(command, options, {}); }

}  // namespace mlmq::cli
