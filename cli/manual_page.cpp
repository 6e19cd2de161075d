// SPDX-License-Identifier: Apache-2.0
// Manual pages in roff with the macros of man(7).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/declared_commands.hpp"

namespace mlmq::cli {
namespace {

/// Text that means itself: hyphens that can be copied, no line that looks like a request.
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
  std::string text = fmt::format("\\fB{}\\fR", escaped(fmt::format("{}", fmt::join(option.names, ", "))));
  if (!option.positional.empty()) text = fmt::format("\\fI{}\\fR", escaped(option.positional));
  if (!option.positional.empty() || option.value.empty()) return text;
  const std::string value = option.choices.empty() ? option.value : fmt::format("{}", fmt::join(option.choices, "|"));
  return fmt::format("{} \\fI{}\\fR", text, escaped(value));
}

std::string synopsis(const declared_command& command) {
  std::string text = fmt::format("\\fB{}\\fR", escaped(command.name()));
  if (!command.below.empty()) return text + " \\fICOMMAND\\fR \\&...";
  text += " [\\fIOPTIONS\\fR]";
  for (const declared_option& option : command.options) {
    if (option.positional.empty()) continue;
    const std::string name = fmt::format("\\fI{}\\fR", escaped(option.positional));
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

std::string manual_page(const declared_command& command, const std::vector<declared_command>& all,
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
  std::string below;
  std::string others;
  for (const declared_command& other : all) {
    const bool is_below =
        other.words.size() == command.words.size() + 1 && other.name().starts_with(command.name() + " ");
    const bool is_above =
        other.words.size() + 1 == command.words.size() && command.name().starts_with(other.name() + " ");
    if (is_below) {
      below += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(manual_name(other)), escaped(other.meaning));
    }
    if (is_above) others += fmt::format(".BR {} (1)\n", escaped(manual_name(other)));
  }
  if (!below.empty()) page += ".SH COMMANDS\n" + below;
  page +=
      ".SH EXIT STATUS\n0: done. 1: the work failed. 2: the command line or an input cannot be used. An error is one "
      "line "
      "on standard error.\n";
  if (!others.empty()) page += ".SH SEE ALSO\n" + others;
  return page;
}

}  // namespace mlmq::cli
