// SPDX-License-Identifier: Apache-2.0
// Common options of commands that run sweeps.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/sweep_run.hpp"

namespace mlmq::cli {

/// Adds --no-commands, which refuses commands of experiment files in this process and its workers.
void add_no_commands_option(CLI::App& command);

/// Adds --device, --workers, --grace and --no-commands.
///
/// @param options    must outlive the command line
/// @param automatic  meaning of the device "auto", for --help
void add_sweep_device_options(CLI::App& command, sweep_run_options& options, const std::string& automatic);

}  // namespace mlmq::cli
