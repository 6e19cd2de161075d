// SPDX-License-Identifier: Apache-2.0
// What the declarations of the command line are also good for: completion in shells, and manual pages.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/declared_commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"

namespace mlmq::cli {

void add_completion_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("completion", "Print a script that completes commands, options and their values in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  takes_no_files(*command, {"shell"});
  command->callback([&app, shell] { print_data(completion_script(declared_commands(app), *shell)); });

  CLI::App* const declarations = app.add_subcommand("declarations", "Print all commands and options as JSON");
  declarations->group("");  // for tests and other tools
  declarations->callback([&app] { print_data(declarations_text(declared_commands(app))); });

  CLI::App* const manual = app.add_subcommand("manual", "Write the manual pages into a folder");
  manual->group("");  // for the build, which installs them
  const auto folder = std::make_shared<std::string>();
  manual->add_option("folder", *folder, "made when missing")->required();
  writes_files(*manual, {"folder"}, {"*.1"});
  manual->callback([&app, folder] {
    make_output_folder(*folder);
    const auto commands = declared_commands(app);
    for (const declared_command& one : commands) {
      write_output(std::filesystem::path(*folder) / (manual_name(one) + ".1"),
                   manual_page(one, commands, program_version()));
    }
  });
}

}  // namespace mlmq::cli
