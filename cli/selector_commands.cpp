// SPDX-License-Identifier: Apache-2.0
#include "cli/selector_commands.hpp"

#include "cli/commands.hpp"

namespace mlmq::cli {

void add_selector_commands(CLI::App& app) {
  CLI::App* const group = app.add_subcommand("selector", "Train, evaluate, export, query and install selectors");
  group->require_subcommand(1);
  // In the order of --help.
  add_selector_train_command(*group);
  add_selector_evaluate_command(*group);
  add_selector_curve_command(*group);
  add_selector_candidates_command(*group);
  add_selector_picks_command(*group);
  add_selector_export_command(*group);
  add_selector_importance_command(*group);
  add_selector_predict_command(*group);
  add_selector_list_command(*group);
  add_selector_install_command(*group);
  add_selector_remove_command(*group);
}

}  // namespace mlmq::cli
