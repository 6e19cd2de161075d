// SPDX-License-Identifier: Apache-2.0
// Options of all commands that sweep.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/sweep_run.hpp"

namespace mlmq::cli {

/// Adds --device, --workers and --grace: where a sweep runs.
///
/// @param options    outlives the command line
/// @param automatic  what the device "auto" means to the command, for its help
void add_sweep_device_options(CLI::App& command, sweep_run_options& options, const std::string& automatic);

}  // namespace mlmq::cli
