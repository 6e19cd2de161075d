// SPDX-License-Identifier: Apache-2.0
// Options of all commands that sweep.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/sweep_run.hpp"

namespace mlmq::cli {

/// --device, --workers and --grace: where a sweep runs. @param to outlives the command line
void add_sweep_device_options(CLI::App& command, sweep_run_options& to);

}  // namespace mlmq::cli
