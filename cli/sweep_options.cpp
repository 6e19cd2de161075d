// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_options.hpp"

#include <fmt/format.h>

#include "cli/file_roles.hpp"
#include "cli/usage.hpp"

namespace mlmq::cli {

void add_sweep_device_options(CLI::App& command, sweep_run_options& options, const std::string& automatic) {
  command
      .add_option("--device", options.device,
                  fmt::format("auto ({}), cuda:N, cuda:all, a list such as cuda:0,cuda:1; simt, simt:SxW, cpu or cpu:N",
                              automatic))
      ->capture_default_str();
  command.add_option("--workers", options.workers, "processes that simulate side by side [1]")
      ->check(whole_number(1, 1024));
  command
      .add_option("--grace", options.grace,
                  "seconds: a worker that gives no sign of life for so long is killed and replaced, and so is one that "
                  "is so much later than a step should take (see docs/internals/sweeps.md)")
      ->capture_default_str()
      ->check(positive_number());
  takes_no_files(command, {"--device"});
}

}  // namespace mlmq::cli
