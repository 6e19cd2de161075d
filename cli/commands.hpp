// SPDX-License-Identifier: Apache-2.0
// Each function adds one subcommand with its options; its callback does the work. A callback that has done its work
// but found failures sets `status`.
#pragma once

#include <CLI/CLI.hpp>

namespace mlmq::cli {

void add_graph_commands(CLI::App& app);
void add_cache_commands(CLI::App& app);
void add_solve_command(CLI::App& app, int& status);
void add_centrality_command(CLI::App& app, int& status);
void add_check_command(CLI::App& app, int& status);
void add_sweep_command(CLI::App& app, int& status);
void add_tune_command(CLI::App& app, int& status);
void add_replay_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_verify_command(CLI::App& app, int& status);
void add_compare_command(CLI::App& app, int& status);
void add_reproduce_command(CLI::App& app, int& status);
void add_sweep_worker_command(CLI::App& app, int& status);
void add_compile_command(CLI::App& app, int& status);
void add_db_commands(CLI::App& app);
void add_selector_commands(CLI::App& app);
void add_problems_command(CLI::App& app);
void add_doctor_command(CLI::App& app);
void add_completion_command(CLI::App& app);
void add_help_commands(CLI::App& app);
void add_new_command(CLI::App& app);

}  // namespace mlmq::cli
