// SPDX-License-Identifier: Apache-2.0
// Commands that list, install and remove selectors of devices.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/file_roles.hpp"
#include "cli/json_output.hpp"
#include "cli/listed_selectors.hpp"
#include "cli/print_text.hpp"
#include "cli/result_options.hpp"
#include "cli/selector_commands.hpp"
#include "db/format.hpp"
#include "selector/installed.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;
using selector::install_place;
using selector::installed_selector;

const char* name_of(install_place place) { return place == install_place::user ? "this user" : "all users"; }

/// Mean relative performance on graphs that the selector did not learn from, as in its summary.
db::cell score_cell(const installed_selector& installed) {
  const selector::strategy_evaluation* const strategy =
      installed.about ? installed.about->evaluation.find(installed.about->evaluation.selector_strategy) : nullptr;
  return db::text_cell(strategy == nullptr ? "?" : fmt::format("{:.3f}", strategy->mean_relative));
}

fs::path folder_of(bool system) {
  fs::path folder = selector::selector_folder(system ? install_place::system : install_place::user);
  if (!folder.empty()) return folder;
  throw input_error(system ? "--system: this program is not installed, so it has no folder for all users"
                           : "there is no folder for your selectors: set HOME or MLMQ_SELECTORS");
}

void list(bool as_json) {
  const std::vector<listed_selector> selectors = list_selectors();
  if (as_json) {
    json_document document = begin_document("selector-list");
    document["selectors"] = selectors_document(selectors);
    print_document(document);
    return;
  }
  if (selectors.empty()) {
    print_text(
        "no selector is installed: 'mlmq solve' uses the shipped ones; 'mlmq tune' creates one for your device\n");
    return;
  }
  db::table rows;
  rows.columns = {"device", "problem", "made", "graphs", "score", "for", "state", "file"};
  for (const listed_selector& listed : selectors) {
    const installed_selector& installed = listed.installed;
    rows.rows.push_back({db::text_cell(installed.about ? installed.about->device : "?"),
                         db::text_cell(installed.about ? installed.about->problem : "?"),
                         db::text_cell(installed.about ? installed.about->creation_day : "?"),
                         db::count_cell(installed.about ? installed.about->workloads : 0), score_cell(installed),
                         db::text_cell(name_of(installed.place)), db::text_cell(listed.state()),
                         db::text_cell(installed.file.string())});
  }
  print_text("{}", db::render(rows, db::table_format::aligned));
  for (const listed_selector& listed : selectors) {
    if (listed.installed.damage.empty()) continue;
    print_text("damaged, the shipped selector is used instead: {}\n", listed.installed.damage);
  }
}

void install(const std::string& file, bool system) {
  const selector::tuned_file tuned = selector::tuned_file_from_text(read_file(file), file);
  const fs::path folder = folder_of(system);
  const selector::selector_lock lock(folder);
  const fs::path installed = selector::install_selector(tuned, folder);
  print_text("'mlmq solve' now uses this selector on {}: {}\n", tuned.about.device, installed.string());
}

void remove(const std::string& device, bool system) {
  const fs::path folder = folder_of(system);
  const install_place place = system ? install_place::system : install_place::user;
  std::vector<std::string> devices;
  std::vector<installed_selector> matches;
  for (installed_selector& installed : selector::installed_selectors()) {
    if (installed.place != place) continue;
    const std::string name = installed.about ? installed.about->device : installed.file.filename().string();
    devices.push_back(name);
    if (name == device || installed.file.filename() == device) matches.push_back(std::move(installed));
  }
  if (matches.empty()) {
    throw input_error(devices.empty()
                          ? fmt::format("no selector is installed for {}", name_of(place))
                          : fmt::format("no selector is installed for '{}'{}; 'mlmq selector list' shows them", device,
                                        did_you_mean(device, devices)));
  }
  const selector::selector_lock lock(folder);
  for (const installed_selector& installed : matches) {
    std::error_code failure;
    fs::remove(installed.file, failure);
    if (failure) throw work_error(fmt::format("{}: cannot be removed: {}", installed.file.string(), failure.message()));
    print_text("removed {}\n", installed.file.string());
  }
}

}  // namespace

void add_selector_list_command(CLI::App& group) {
  CLI::App* const command = group.add_subcommand(
      "list", "List the selectors installed for devices by 'mlmq tune' or 'mlmq selector install'");
  const auto results = std::make_shared<result_options>();
  results->add_format(*command);
  command->callback([results] { list(results->as_json()); });
}

void add_selector_install_command(CLI::App& group) {
  struct installing {
    std::string file;
    bool system = false;
  };
  CLI::App* const command =
      group.add_subcommand("install", "Install a selector written by 'mlmq tune --output' for its device");
  const auto options = std::make_shared<installing>();
  command->add_option("file", options->file, "selector file written by 'mlmq tune --output'")->required();
  command->add_flag("--system", options->system, "install for all users of this program, not for this user only");
  reads_files(*command, {"file"});
  command->callback([options] { install(options->file, options->system); });
}

void add_selector_remove_command(CLI::App& group) {
  struct removing {
    std::string device;
    bool system = false;
  };
  CLI::App* const command =
      group.add_subcommand("remove", "Remove the selector installed for a device, to use the shipped one again");
  const auto options = std::make_shared<removing>();
  command
      ->add_option("device", options->device,
                   "name of the device or of the selector's file, as shown by 'mlmq selector list'")
      ->required();
  command->add_flag("--system", options->system, "remove the selector installed for all users of this program");
  takes_no_files(*command, {"device"});
  command->callback([options] { remove(options->device, options->system); });
}

}  // namespace mlmq::cli
