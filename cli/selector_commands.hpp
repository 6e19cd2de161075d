// SPDX-License-Identifier: Apache-2.0
// Each function adds one subcommand of 'mlmq selector'.
#pragma once

#include <CLI/CLI.hpp>

namespace mlmq::cli {

void add_selector_train_command(CLI::App& group);
void add_selector_evaluate_command(CLI::App& group);
void add_selector_curve_command(CLI::App& group);
void add_selector_candidates_command(CLI::App& group);
void add_selector_picks_command(CLI::App& group);
void add_selector_export_command(CLI::App& group);
void add_selector_importance_command(CLI::App& group);
void add_selector_predict_command(CLI::App& group);
void add_selector_list_command(CLI::App& group);
void add_selector_install_command(CLI::App& group);
void add_selector_remove_command(CLI::App& group);

}  // namespace mlmq::cli
