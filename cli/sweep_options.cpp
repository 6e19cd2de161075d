// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_options.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include "cli/duration.hpp"
#include "cli/file_roles.hpp"
#include "cli/usage.hpp"
#include "tuner/commands.hpp"

namespace mlmq::cli {

void add_no_commands_option(CLI::App& command) {
  command.add_flag_callback(
      "--no-commands", [] { ::setenv(tuner::refuse_commands_variable, "1", 1); },
      "refuse experiment files with a command as reference (docs/guide/tune-your-kernel.md)");
}

void add_sweep_device_options(CLI::App& command, sweep_run_options& options, const std::string& automatic) {
  command
      .add_option("--device", options.device,
                  fmt::format("auto ({}), cuda:N, cuda:all, a list such as cuda:0,cuda:1; simt, simt:SxW, cpu or cpu:N",
                              automatic))
      ->type_name("DEVICE")
      ->capture_default_str();
  add_no_commands_option(command);
  command.add_option("--workers", options.workers, "number of simulator processes [1]")->check(whole_number(1, 1024));
  add_duration_option(
      command, "--grace", options.grace, {.stored_unit = "s"},
      "kill and replace a worker that is silent, or overdue in a step, for this long (see docs/internals/sweeps.md)");
  takes_no_files(command, {"--device"});
}

}  // namespace mlmq::cli
