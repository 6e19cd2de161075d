// SPDX-License-Identifier: Apache-2.0
// Manual pages in roff with the macros of man(7).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/declared_commands.hpp"

namespace mlmq::cli {
namespace {

/// Escapes text for roff: hyphens stay copyable, and no line looks like a request.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '\\') {
      result += "\\e";
    } else if (character == '-') {
      result += "\\-";
    } else if ((character == '.' || character == '\'') && (result.empty() || result.back() == '\n')) {
      result += fmt::format("\\&{}", character);
    } else {
      result += character;
    }
  }
  return result;
}

std::string heading(const declared_option& option) {
  if (!option.positional.empty()) return fmt::format("\\fI{}\\fR", escaped(option.heading()));
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  const std::string text = fmt::format("\\fB{}\\fR", escaped(names));
  if (option.value.empty()) return text;
  return fmt::format("{} \\fI{}\\fR", text, escaped(option.heading().substr(names.size() + 1)));
}

std::string synopsis(const declared_command& command) {
  std::string text = fmt::format("\\fB{}\\fR", escaped(command.name()));
  if (!command.below.empty()) return text + " \\fICOMMAND\\fR \\&...";
  text += " [\\fIOPTIONS\\fR]";
  for (const declared_option& option : command.options) {
    if (option.positional.empty()) continue;
    const std::string name = fmt::format("\\fI{}\\fR", escaped(option.heading()));
    text += option.required ? " " + name : fmt::format(" [{}]", name);
  }
  return text;
}

std::string entry(const declared_option& option) {
  std::string meaning = escaped(option.meaning);
  if (!option.default_value.empty()) meaning += fmt::format(" [{}]", escaped(option.default_value));
  return fmt::format(".TP\n{}\n{}\n", heading(option), meaning);
}

}  // namespace

std::string manual_page(const declared_command& command, const std::vector<declared_command>& commands,
                        const std::string& version) {
  const std::string name = manual_name(command);
  std::string page = fmt::format(".TH \"{}\" 1 \"\" \"mlmq {}\" \"mlmq\"\n", escaped(name), escaped(version));
  page += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n", escaped(name), escaped(command.meaning),
                      synopsis(command));
  std::string arguments;
  std::string options;
  for (const declared_option& option : command.options)
    (option.positional.empty() ? options : arguments) += entry(option);
  if (!arguments.empty()) page += ".SH ARGUMENTS\n" + arguments;
  if (!options.empty()) page += ".SH OPTIONS\n" + options;
  const std::vector<command_group> groups = subcommands_of(command, commands);
  if (!groups.empty()) page += ".SH COMMANDS\n";
  for (const command_group& group : groups) {
    if (groups.size() > 1) page += fmt::format(".SS {}\n", escaped(group.title));
    for (const declared_command* const below : group.commands) {
      page += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(manual_name(*below)), escaped(below->meaning));
    }
  }
  std::string others;
  for (const declared_command& other : commands) {
    if (other.is_parent_of(command)) others += fmt::format(".BR {} (1)\n", escaped(manual_name(other)));
  }
  page +=
      ".SH EXIT STATUS\n0: success. 1: the work failed. 2: the command line or an input is invalid. An error is one "
      "line on standard error.\n";
  if (!command.examples.empty()) page += ".SH EXAMPLES\n.nf\n";
  for (const std::string_view example : command.examples) page += escaped(std::string(example)) + "\n";
  if (!command.examples.empty()) page += ".fi\n";
  if (!others.empty()) page += ".SH SEE ALSO\n" + others;
  return page;
}

}  // namespace mlmq::cli
