// SPDX-License-Identifier: Apache-2.0
// Commands 'mlmq help' and 'mlmq version', which print the same as --help and --version.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/build_info.hpp"
#include "cli/commands.hpp"
#include "cli/declared_commands.hpp"
#include "cli/file_roles.hpp"
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

}  // namespace

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
