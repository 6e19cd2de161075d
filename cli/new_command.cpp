// SPDX-License-Identifier: Apache-2.0
// `mlmq new`: a first version of something of one's own, which compiles and has a test.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/print_text.hpp"
#include "cli/shipped_files.hpp"
#include "cli/usage.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;

/// The name of everything in the templates, which the user's name replaces.
constexpr std::string_view template_name = "skeleton";

std::string renamed(std::string text, const std::string& name) {
  for (std::size_t i = 0; (i = text.find(template_name, i)) != std::string::npos; i += name.size()) {
    text.replace(i, template_name.size(), name);
  }
  return text;
}

/// Keywords of C++, and names that it reserves, among those of small letters.
constexpr auto reserved_names = std::to_array<std::string_view>(
    {"alignas",     "alignof",      "and",       "and_eq",       "asm",      "auto",
     "bitand",      "bitor",        "bool",      "break",        "case",     "catch",
     "char",        "char16_t",     "char32_t",  "char8_t",      "class",    "co_await",
     "co_return",   "co_yield",     "compl",     "concept",      "const",    "const_cast",
     "consteval",   "constexpr",    "constinit", "continue",     "decltype", "default",
     "delete",      "do",           "double",    "dynamic_cast", "else",     "enum",
     "explicit",    "export",       "extern",    "false",        "float",    "for",
     "friend",      "goto",         "if",        "inline",       "int",      "long",
     "main",        "mutable",      "namespace", "new",          "noexcept", "not",
     "not_eq",      "nullptr",      "operator",  "or",           "or_eq",    "posix",
     "private",     "protected",    "public",    "register",     "requires", "reinterpret_cast",
     "return",      "short",        "signed",    "sizeof",       "static",   "static_assert",
     "static_cast", "std",          "struct",    "switch",       "template", "test",
     "this",        "thread_local", "throw",     "true",         "try",      "typedef",
     "typeid",      "typename",     "union",     "unsigned",     "using",    "virtual",
     "void",        "volatile",     "wchar_t",   "while",        "xor",      "xor_eq"});

/// @throws input_error for anything but a name in C++, Python and CMake
void check_name(const std::string& name) {
  const bool is_valid = !name.empty() && std::islower(static_cast<unsigned char>(name.front())) != 0 &&
                        std::ranges::all_of(name, [](unsigned char c) {
                          return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
                        });
  if (!is_valid) {
    throw input_error(
        fmt::format("'{}' is not a name of small letters, digits and '_' that begins with a letter", name));
  }
  // C++ also reserves every name with two underscores in a row.
  if (name.find("__") != std::string::npos || std::ranges::find(reserved_names, name) != reserved_names.end()) {
    throw input_error(fmt::format("'{0}' is reserved in C++: choose another name, such as 'my_{0}'", name));
  }
}

/// Returns the command that tests the new files.
std::string next_step(const std::string& kind, const std::string& name, const fs::path& folder) {
  const std::string in_folder = folder.string();
  if (kind == "problem" || kind == "queue") {
    return fmt::format("cmake -S {0} -B {0}/build && cmake --build {0}/build && ctest --test-dir {0}/build", in_folder);
  }
  return fmt::format("{}/test_{}.py", in_folder, name);
}

void write_new(const std::string& kind, const std::string& name, fs::path folder) {
  check_name(name);
  if (folder.empty()) folder = name;
  std::error_code failure;
  if (fs::exists(fs::symlink_status(folder, failure))) {
    throw input_error(fmt::format("{}: exists already; nothing is overwritten", folder.string()));
  }
  const fs::path source = shipped_folder() / "templates" / kind;
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(source)) {
    files.emplace_back(renamed(entry.path().filename().string(), name), renamed(read_file(entry.path()), name));
  }
  std::ranges::sort(files);
  fs::create_directories(folder, failure);
  if (failure) throw input_error(fmt::format("{}: {}", folder.string(), failure.message()));
  for (const auto& [file, content] : files) {
    write_file_atomically(folder / file, content);
    if (file.starts_with("test_")) fs::permissions(folder / file, fs::perms::owner_exec, fs::perm_options::add);
    print_text("{}\n", (folder / file).string());
  }
  print_text("test it with: {}\n", next_step(kind, name, folder));
}

}  // namespace

void add_new_command(CLI::App& app) {
  struct new_options {
    std::string kind;
    std::string name;
    std::string folder;
  };
  CLI::App* const command = app.add_subcommand(
      "new", "Write a first version of your own problem, queue, kernel or figure, which works and has a test");
  const auto options = std::make_shared<new_options>();
  command->add_option("kind", options->kind, "what to write: problem, queue, kernel or figure (docs/guide/extend.md)")
      ->required()
      ->check(one_of({"problem", "queue", "kernel", "figure"}));
  command->add_option("name", options->name, "its name: small letters, digits and '_'")->required();
  command->add_option("--folder", options->folder, "new folder for the files [NAME]");
  takes_no_files(*command, {"name"});
  writes_files(*command, {"--folder"});
  command->callback([options] { write_new(options->kind, options->name, options->folder); });
}

}  // namespace mlmq::cli
