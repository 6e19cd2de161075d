// SPDX-License-Identifier: Apache-2.0
// Commands that use the declarations of the command line: shell completion and manual pages.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/registry.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/declared_commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/shipped_files.hpp"
#include "cli/usage.hpp"
#include "problems/registry.hpp"
#include "report/reproduce/catalogue.hpp"

namespace mlmq::cli {

namespace {

std::set<std::string> device_selectors() {
  std::set<std::string> selectors = {"auto"};
  for (const backends::device_kind& kind : backends::device_kinds()) {
    selectors.insert(kind.name);
    const std::vector<std::string> listed = kind.list();
    selectors.insert(listed.begin(), listed.end());
    if (listed.size() > 1) selectors.insert(kind.name + ":all");
  }
  return selectors;
}

std::set<std::string> figure_names() {
  std::set<std::string> names = {"all"};
  for (const reproduce::figure& figure : reproduce::load_catalogue(shipped_folder() / "experiments" / "figures")) {
    names.insert(figure.name);
    names.insert(figure.name.substr(0, figure.name.find('/')));
  }
  return names;
}

/// Returns the prefixes "NAME=" of the entries of a configuration.
std::set<std::string> parameter_keys() {
  std::set<std::string> keys = {"preset="};
  for (const problems::problem_entry& entry : problems::all_problems()) {
    const auto problem = entry.make();
    for (const tuner::parameter_declaration& declared : problem->declarations()) keys.insert(declared.name + "=");
  }
  return keys;
}

std::set<std::string> completion_values(const std::string& kind) {
  if (kind == "devices") return device_selectors();
  if (kind == "figures") return figure_names();
  if (kind == "parameters") return parameter_keys();
  std::set<std::string> names;
  for (const problems::problem_entry& entry : problems::all_problems()) names.insert(entry.name);
  return names;
}

}  // namespace

void add_completion_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("completion", "Print a shell script that completes commands, options and their values");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "shell of the script: bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  command->callback([&app, shell] { print_data(completion_script(declared_commands(app), *shell)); });

  CLI::App* const declarations = app.add_subcommand("declarations", "Print all commands and options as JSON");
  declarations->group("");  // hidden: for tests and other tools
  declarations->callback([&app] { print_data(declarations_text(declared_commands(app))); });

  CLI::App* const values = app.add_subcommand("complete", "Print values for completion scripts, one per line");
  values->group("");  // hidden: for the completion scripts
  const auto kind = std::make_shared<std::string>();
  values->add_option("kind", *kind, "kind of values")
      ->required()
      ->check(one_of({"devices", "figures", "parameters", "problems"}));
  values->callback([kind] { print_data(fmt::format("{}\n", fmt::join(completion_values(*kind), "\n"))); });

  CLI::App* const manual = app.add_subcommand("manual", "Write the manual pages to a folder");
  manual->group("");  // hidden: for the build, which installs the pages
  const auto folder = std::make_shared<std::string>();
  manual->add_option("folder", *folder, "folder; created if missing")->required();
  writes_files(*manual, {"folder"}, {"*.1"});
  manual->callback([&app, folder] {
    make_output_folder(*folder);
    const auto commands = declared_commands(app);
    for (const declared_command& declared : commands) {
      write_output(std::filesystem::path(*folder) / (manual_name(declared) + ".1"),
                   manual_page(declared, commands, program_version()));
    }
  });
}

}  // namespace mlmq::cli
