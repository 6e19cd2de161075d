// SPDX-License-Identifier: Apache-2.0
#include "cli/declared_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace mlmq::cli {
namespace {

/// CLI11 writes the members of a set as "TEXT:{a,b}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return split(type.substr(open + 1, close - open - 1), ',');
}

declared_option describe(const CLI::Option& option, const program& root) {
  declared_option result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  if (result.names.empty()) result.positional = option.get_name(true);
  const std::string type = option.get_type_name();
  result.choices = choices_in(type);
  if (option.get_items_expected_max() > 0) result.value = type.substr(0, type.find_first_of(": "));
  result.default_value = option.get_default_str();
  result.meaning = option.get_description();
  result.required = option.get_required();
  if (const file_role* const role = root.role_of(option)) result.role = *role;
  return result;
}

void add(const CLI::App& app, std::vector<std::string> words, std::vector<declared_command>& to) {
  words.push_back(app.get_name());
  declared_command command{.words = words, .meaning = app.get_description(), .options = {}, .below = {}};
  for (const CLI::Option* const option : app.get_options([](const CLI::Option*) { return true; })) {
    command.options.push_back(describe(*option, program_of(app)));
  }
  const auto shown = app.get_subcommands([](const CLI::App* below) { return !below->get_group().empty(); });
  for (const CLI::App* const below : shown) command.below.push_back(below->get_name());
  to.push_back(std::move(command));
  for (const CLI::App* const below : shown) add(*below, words, to);
}

}  // namespace

std::string declared_command::name() const { return fmt::format("{}", fmt::join(words, " ")); }

std::vector<declared_command> declared_commands(const CLI::App& app) {
  std::vector<declared_command> all;
  add(app, {}, all);
  return all;
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
