// SPDX-License-Identifier: Apache-2.0
#include "cli/declared_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace mlmq::cli {
namespace {

/// Parses the members of a set, which CLI11 writes as "TEXT:{a,b}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return split(type.substr(open + 1, close - open - 1), ',');
}

/// Converts a type name of CLI11 to the placeholder in --help.
std::string placeholder_of(const std::string& type) {
  const std::string name = type.substr(0, type.find_first_of(": "));
  if (name == "UINT" || name == "INT") return "N";
  return name == "FLOAT" ? "NUMBER" : name;
}

declared_option describe(const CLI::Option& option, const program& root) {
  declared_option result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  if (result.names.empty()) result.positional = option.get_name(true);
  const std::string type = option.get_type_name();
  result.choices = choices_in(type);
  if (option.get_items_expected_max() > 0) result.value = placeholder_of(type);
  result.repeatable = option.get_items_expected_max() > 1;
  for (const CLI::Option* const other : option.get_excludes()) {
    if (!other->get_group().empty()) result.excludes.push_back(other->get_name(other->get_positional()));
  }
  std::ranges::sort(result.excludes);
  result.default_value = option.get_default_str();
  // CLI11 puts brackets around lists.
  if (result.default_value.starts_with('[') && result.default_value.ends_with(']')) {
    result.default_value = result.default_value.substr(1, result.default_value.size() - 2);
  }
  result.meaning = option.get_description();
  result.group = option.get_group() == "OPTIONS" ? "Options" : option.get_group();
  result.required = option.get_required();
  if (const file_role* const role = root.role_of(option)) result.role = *role;
  return result;
}

bool is_shown(const CLI::App* command) { return !command->get_group().empty(); }

declared_command describe(const CLI::App& app, std::vector<std::string> words) {
  declared_command command;
  command.words = std::move(words);
  command.meaning = app.get_description();
  command.group = app.get_group();
  if (command.group == "Subcommands") command.group = "Commands";
  for (const CLI::Option* const option :
       app.get_options([](const CLI::Option* declared) { return !declared->get_group().empty(); })) {
    command.options.push_back(describe(*option, program_of(app)));
  }
  for (const CLI::App* const below : app.get_subcommands(is_shown)) command.below.push_back(below->get_name());
  command.examples = examples_of(command.name());
  return command;
}

void add(const CLI::App& app, std::vector<std::string> words, std::vector<declared_command>& commands) {
  words.push_back(app.get_name());
  commands.push_back(describe(app, words));
  for (const CLI::App* const below : app.get_subcommands(is_shown)) add(*below, words, commands);
}

}  // namespace

std::string declared_option::heading() const {
  if (!positional.empty()) return positional + (repeatable ? "..." : "");
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (value.empty()) return text;
  text += " " + (choices.empty() ? value : fmt::format("{}", fmt::join(choices, "|")));
  return text + (repeatable ? "..." : "");
}

std::string declared_command::name() const { return fmt::format("{}", fmt::join(words, " ")); }

std::string declared_command::usage() const {
  std::string text = name() + " [OPTIONS]";
  if (!below.empty()) return text + " COMMAND";
  for (const declared_option& option : options) {
    if (option.positional.empty()) continue;
    text += option.required ? " " + option.heading() : fmt::format(" [{}]", option.heading());
  }
  return text;
}

bool declared_command::is_parent_of(const declared_command& other) const {
  return other.words.size() == words.size() + 1 && std::equal(words.begin(), words.end(), other.words.begin());
}

std::vector<declared_command> declared_commands(const CLI::App& app) {
  std::vector<declared_command> commands;
  add(app, {}, commands);
  return commands;
}

std::vector<command_group> subcommands_of(const declared_command& command,
                                          const std::vector<declared_command>& commands) {
  std::vector<command_group> groups;
  for (const declared_command& other : commands) {
    if (!command.is_parent_of(other)) continue;
    auto group = std::ranges::find(groups, other.group, &command_group::title);
    if (group == groups.end()) group = groups.insert(groups.end(), {.title = other.group, .commands = {}});
    group->commands.push_back(&other);
  }
  return groups;
}

std::string help_text(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* parent = app.get_parent(); parent != nullptr; parent = parent->get_parent()) {
    words.insert(words.begin(), parent->get_name());
  }
  std::vector<declared_command> commands;
  add(app, words, commands);
  return help_page(commands.front(), commands, terminal_width());
}

std::string declarations_text(const std::vector<declared_command>& commands) {
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  for (const declared_command& command : commands) {
    nlohmann::ordered_json options = nlohmann::ordered_json::array();
    for (const declared_option& option : command.options) {
      nlohmann::ordered_json role = nullptr;
      if (option.role) {
        const char* const use = option.role->use == file_use::read    ? "read"
                                : option.role->use == file_use::write ? "write"
                                                                      : "none";
        role = {{"use", use}, {"names", option.role->names}, {"keywords", option.role->keywords}};
      }
      options.push_back({{"names", option.names},
                         {"positional", option.positional},
                         {"value", option.value},
                         {"choices", option.choices},
                         {"default", option.default_value},
                         {"meaning", option.meaning},
                         {"required", option.required},
                         {"file", role}});
    }
    document.push_back({{"command", command.name()},
                        {"meaning", command.meaning},
                        {"options", std::move(options)},
                        {"subcommands", command.below}});
  }
  return document.dump(2) + "\n";
}

std::string manual_name(const declared_command& command) { return fmt::format("{}", fmt::join(command.words, "-")); }

}  // namespace mlmq::cli
