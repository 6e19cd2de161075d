// SPDX-License-Identifier: Apache-2.0
// The text of --help.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/build_info.hpp"
#include "cli/commands.hpp"
#include "cli/declared_commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/option_groups.hpp"
#include "cli/print_text.hpp"

namespace mlmq::cli {
namespace {

/// @throws input_error for an unknown command
const CLI::App& command_named(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const CLI::App* subcommand = nullptr;
    std::vector<std::string> names;
    for (const CLI::App* const below : command->get_subcommands({})) {
      if (below->get_name() == word) subcommand = below;
      if (!below->get_group().empty()) names.push_back(below->get_name());
    }
    if (subcommand == nullptr) {
      throw input_error(
          fmt::format("help: unknown command '{}'{}; 'mlmq help' lists all commands", word, did_you_mean(word, names)));
    }
    command = subcommand;
  }
  return *command;
}

/// Column at which the descriptions of options and commands begin.
constexpr std::size_t meaning_column = 28;

/// Counts the characters of a text; none of them is wide.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Breaks a text at blanks. Every line after the first begins with `indent` blanks.
/// @param column  where the first line begins
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent, std::size_t width) {
  std::string result;
  bool is_line_start = true;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t word_columns = columns_of(word);
    if (!is_line_start && column + 1 + word_columns > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
      is_line_start = true;
    }
    if (!is_line_start) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word_columns;
    is_line_start = false;
  }
  return result;
}

/// Formats a heading and its description, which begins on the next line if the heading is long.
std::string entry(const std::string& heading, const std::string& meaning, std::size_t width) {
  const std::size_t indent = std::min(meaning_column, width / 3);
  const std::size_t heading_end = 2 + columns_of(heading);
  const bool fits = heading_end + 2 <= indent;
  const std::string gap = fits ? std::string(indent - heading_end, ' ') : "\n" + std::string(indent, ' ');
  return fmt::format("  {}{}{}\n", wrapped(heading, 2, 4, width), gap, wrapped(meaning, indent, indent, width));
}

std::string meaning_of(const declared_option& option) {
  std::string text = option.meaning;
  if (!option.excludes.empty()) text += fmt::format(" (not with {})", fmt::join(option.excludes, ", "));
  if (option.required && option.positional.empty()) text += " (required)";
  if (!option.default_value.empty()) text += fmt::format(" [{}]", option.default_value);
  return text;
}

}  // namespace

std::size_t terminal_width() {
  constexpr std::size_t least_width = 40;
  constexpr std::size_t greatest_width = 100;  // longer lines are hard to read
  std::size_t width = 80;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    width = size.ws_col;
  } else if (const char* const columns = std::getenv("COLUMNS")) {
    const std::string_view text = columns;
    (void)std::from_chars(text.data(), text.data() + text.size(), width);
  }
  return std::clamp(width, least_width, greatest_width);
}

std::string help_page(const declared_command& command, const std::vector<declared_command>& commands,
                      std::size_t width) {
  const auto heading = [](const std::string& title) { return coloured(stdout, colour::bold, title + ":"); };
  std::string text = wrapped(command.meaning, 0, 0, width) + "\n\n";
  text += heading("Usage") + " " + wrapped(command.usage(), 7, 9, width) + "\n";
  for (const command_group& group : subcommands_of(command, commands)) {
    text += fmt::format("\n{}\n", heading(group.title));
    for (const declared_command* const below : group.commands)
      text += entry(below->words.back(), below->meaning, width);
  }
  std::map<std::size_t, std::pair<std::string, std::string>> groups;  // titles and entries, by position
  for (const declared_option& option : command.options) {
    const std::string title = option.positional.empty() ? option.group : "Arguments";
    auto& [heading_text, entries] = groups[position_of_group(title)];
    heading_text = title;
    entries += entry(option.heading(), meaning_of(option), width);
  }
  for (const auto& [position, group] : groups) text += fmt::format("\n{}\n{}", heading(group.first), group.second);
  if (!command.examples.empty()) text += fmt::format("\n{}\n", heading("Examples"));
  for (const std::string_view example : command.examples) text += fmt::format("  {}\n", example);
  return text;
}

void add_help_commands(CLI::App& app) {
  CLI::App* const help = app.add_subcommand("help", "Print the description, options and examples of a command");
  const auto words = std::make_shared<std::vector<std::string>>();
  help->add_option("command", *words, "command, such as solve or db query [all commands]");
  takes_no_files(*help, {"command"});
  help->callback([&app, words] { print_data(help_text(command_named(app, *words))); });

  CLI::App* const version =
      app.add_subcommand("version", "Print the version, commit and CUDA toolkit of this program, like --version");
  version->callback([] { print_text("{}\n", text_of(this_build())); });
}

}  // namespace mlmq::cli
