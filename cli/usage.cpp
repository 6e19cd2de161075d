// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"

namespace mlmq::cli {
namespace {

struct duration_unit {
  std::string_view name;
  double seconds;
};

constexpr std::array<duration_unit, 5> duration_units = {
    {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}}};

/// Returns null for an unknown name.
const duration_unit* find_unit(std::string_view name) {
  for (const duration_unit& unit : duration_units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

const duration_unit& unit_named(std::string_view name) {
  const duration_unit* const unit = find_unit(name);
  if (unit == nullptr) throw std::logic_error(fmt::format("there is no unit '{}' of durations", name));
  return *unit;
}

struct parsed_duration {
  double number = 0;
  const duration_unit* unit = nullptr;
};

/// Parses a number with a unit.
std::optional<parsed_duration> parse_duration(std::string_view text) {
  parsed_duration result;
  const char* const text_end = text.data() + text.size();
  const auto [number_end, failure] = std::from_chars(text.data(), text_end, result.number);
  if (failure != std::errc() || !std::isfinite(result.number)) return std::nullopt;
  const std::string_view unit_name(number_end, static_cast<std::size_t>(text_end - number_end));
  result.unit = find_unit(unit_name);
  if (result.unit == nullptr) return std::nullopt;
  return result;
}

/// Formats a duration in the largest unit in which it is at least 1.
std::string duration_label(double value, const duration_unit& stored) {
  const double seconds = value * stored.seconds;
  const duration_unit* best = duration_units.begin();
  for (const duration_unit& unit : duration_units) {
    if (seconds >= unit.seconds) best = &unit;
  }
  return fmt::format("{:g}{}", seconds / best->seconds, best->name);
}

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// Returns the innermost parsed command, with its path: "mlmq graph info" for `graph info --bogus`.
const CLI::App& innermost(const CLI::App& app, std::string& path) {
  path += (path.empty() ? "" : " ") + app.get_name();
  const std::vector<const CLI::App*> used = [&app] {
    std::vector<const CLI::App*> parsed;
    for (const CLI::App* command : app.get_subcommands({})) {
      if (command->parsed()) parsed.push_back(command);
    }
    return parsed;
  }();
  return used.empty() ? app : innermost(*used.front(), path);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// Returns a message about an unexpected argument, with a suggestion.
std::string about_extra(const CLI::App& command, const std::string& argument) {
  if (argument.starts_with('-')) {
    const std::string name = argument.substr(0, argument.find('='));
    return fmt::format("unknown option '{}'{}", name, did_you_mean(name, option_names(command)));
  }
  const std::vector<std::string> commands = command_names(command);
  if (commands.empty()) return fmt::format("unexpected argument '{}'", argument);
  const std::string suggestion = did_you_mean(argument, commands);
  return fmt::format("unknown command '{}'{}", argument,
                     suggestion.empty() ? fmt::format("; known commands: {}", fmt::join(commands, ", ")) : suggestion);
}

/// Returns the part of `text` before `words`, or nothing.
std::optional<std::string> before(std::string_view text, std::string_view words) {
  const auto position = text.find(words);
  if (position == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(0, position));
}

template <class Kind>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

/// Returns the hidden option that was used, which the parser does not name in its messages.
std::string used_hidden_option(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_group().empty() && option->count() > 0) return "--" + option->get_lnames().front();
  }
  return "";
}

std::string in_our_words(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  std::vector<std::string> extras = command.remaining();
  if (extras.empty()) extras = app.remaining(true);
  const std::string text = error.what();
  if (is<CLI::RequiredError>(error) || is<CLI::ExtrasError>(error)) {
    if (!extras.empty()) return about_extra(command, extras.front());
    if (!command.get_subcommands({}).empty()) {
      return fmt::format("a command is missing; known commands: {}", fmt::join(command_names(command), ", "));
    }
    if (const auto name = before(text, " is required")) return fmt::format("the argument '{}' is missing", *name);
  }
  if (is<CLI::ArgumentMismatch>(error)) {
    if (text.ends_with(" missing")) {
      if (const auto name = before(text, ": ")) return *name + " needs a value";
    }
    if (const auto name = before(text, ": At Most ")) return *name + " is given more than once";
  }
  if (is<CLI::ConversionError>(error)) {
    constexpr std::string_view start = "Could not convert: ";
    const auto equals = text.find(" = ");
    if (text.starts_with(start) && equals != std::string::npos) {
      const std::string name = text.substr(start.size(), equals - start.size());
      const CLI::Option* const option = command.get_option_no_throw(name);
      if (option != nullptr && option->get_items_expected_max() == 0) return name + " takes no value";
      return fmt::format("{}: '{}' is not a number in range", name, text.substr(equals + 3));
    }
  }
  if (is<CLI::ExcludesError>(error)) {
    if (const auto first = before(text, " excludes ")) {
      const std::string second = text.substr(first->size() + 10);
      return fmt::format("{} and {} cannot be combined", *first, second.empty() ? used_hidden_option(command) : second);
    }
  }
  return text;
}

}  // namespace

value_check whole_number(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& text) -> std::string {
    const auto number = parse<std::uint64_t>(text);
    if (number && *number >= least && *number <= most) return "";
    return most == std::numeric_limits<std::uint64_t>::max()
               ? fmt::format("'{}' is not a whole number from {}", text, least)
               : fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  };
}

value_check positive_number(bool zero_too, double most) {
  return [zero_too, most](const std::string& text) -> std::string {
    const auto number = parse<double>(text);
    if (number && std::isfinite(*number) && (*number > 0 || (zero_too && *number == 0)) && *number <= most) return "";
    return fmt::format("'{}' is not a number {} 0{}", text, zero_too ? "from" : "above",
                       most < std::numeric_limits<double>::max() ? fmt::format(" to {}", most) : "");
  };
}

CLI::Validator one_of(const std::vector<std::string>& choices) {
  const auto check = [choices](const std::string& text) -> std::string {
    if (std::ranges::find(choices, text) != choices.end()) return "";
    return fmt::format("'{}' is not one of {}{}", text, fmt::join(choices, ", "), did_you_mean(text, choices));
  };
  return CLI::Validator(check, fmt::format("{{{}}}", fmt::join(choices, ",")));
}

CLI::Validator size_in_bytes() {
  const auto convert = [](std::string& text) -> std::string {
    const std::string message = fmt::format("'{}' is not a size, such as 500MB or 8GiB", text);
    try {
      return CLI::AsSizeValue(false)(text).empty() ? "" : message;
    } catch (const CLI::ValidationError&) {
      return message;
    }
  };
  return CLI::Validator(convert, "");
}

void check_values(CLI::App& app, std::string_view may_be_empty) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    if (option->get_name() != may_be_empty) {
      option->check([](const std::string& text) -> std::string { return text.empty() ? "is empty" : ""; });
    }
    if (option->get_type_name() == "UINT") option->check(whole_number(0));
  }
  for (CLI::App* command : app.get_subcommands({})) check_values(*command, may_be_empty);
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  std::string path;
  const CLI::App& command = innermost(app, path);
  return fmt::format("{}; see '{} --help'", in_our_words(app, command, error), path);
}

std::string on_one_line(std::string_view text) {
  constexpr std::size_t longest = 1000;
  std::string line;
  for (const char character : with_short_quotes(printable(text))) {
    const bool starts_character = (static_cast<unsigned char>(character) & 0xC0) != 0x80;
    if (line.size() >= longest && starts_character) return line + "…";
    if (character == '\n') {
      line += "\\n";
    } else if (character == '\t') {
      line += "\\x09";
    } else {
      line += character;
    }
  }
  return line;
}

CLI::Option* add_duration_option(CLI::App& command, const std::string& name, double& value,
                                 const duration_format& format, const std::string& description) {
  const duration_unit& stored = unit_named(format.stored_unit);
  const auto value_in = [&stored](const parsed_duration& duration) {
    return duration.unit == &stored ? duration.number : duration.number * (duration.unit->seconds / stored.seconds);
  };
  const bool zero_allowed = format.zero_allowed;
  CLI::Option* const option = command.add_option_function<std::string>(
      name, [&value, value_in](const std::string& text) { value = value_in(parse_duration(text).value()); },
      description);
  option->type_name("DURATION");
  option->check([value_in, zero_allowed](const std::string& text) -> std::string {
    const std::optional<parsed_duration> duration = parse_duration(text);
    const double stored_value = duration ? value_in(*duration) : -1;
    if (std::isfinite(stored_value) && (stored_value > 0 || (zero_allowed && stored_value == 0))) return "";
    return fmt::format("'{}' is not a duration {} 0, such as 10s, 4min or 2h", text, zero_allowed ? "from" : "above");
  });
  if (value > 0) option->default_str(duration_label(value, stored));
  return option;
}

}  // namespace mlmq::cli
