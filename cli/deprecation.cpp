// SPDX-License-Identifier: Apache-2.0
#include "cli/deprecation.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "cli/print_text.hpp"
#include "cli/usage.hpp"

namespace mlmq::cli {
namespace {

std::vector<std::string>& deprecation_notes() {
  static std::vector<std::string> notes;
  return notes;
}

}  // namespace

void note_deprecated(std::string note) { deprecation_notes().push_back(std::move(note)); }

void print_deprecation_notes() {
  for (const std::string& note : deprecation_notes()) print_note("{}", on_one_line(note));
  deprecation_notes().clear();
}

CLI::Option* add_deprecated_option(CLI::App& command, const std::string& name, std::string& value,
                                   CLI::Option& replacement) {
  const bool is_argument = replacement.get_positional();
  const std::string new_name = replacement.get_name(is_argument);
  CLI::Option* const option = command.add_option_function<std::string>(
      name,
      [&value, name, new_name, is_argument](const std::string& text) {
        value = text;
        note_deprecated(is_argument ? fmt::format("{} is deprecated; give the {} as an argument", name, new_name)
                                    : fmt::format("{} is deprecated; use {}", name, new_name));
      },
      "deprecated");
  option->group("");
  option->excludes(&replacement);
  return option;
}

}  // namespace mlmq::cli
