// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_options.hpp"

#include "cli/file_roles.hpp"
#include "cli/usage.hpp"

namespace mlmq::cli {

void add_sweep_device_options(CLI::App& command, sweep_run_options& to) {
  command
      .add_option(
          "--device", to.device,
          "auto (all GPUs, else the simulator), cuda:N, cuda:all, a list such as cuda:0,cuda:1; simt, simt:SxW, "
          "cpu or cpu:N")
      ->capture_default_str();
  command.add_option("--workers", to.workers, "processes that simulate side by side [1]")->check(whole_number(1, 1024));
  command
      .add_option("--grace", to.grace,
                  "seconds: a worker that gives no sign of life for so long is killed and replaced, and so is one that "
                  "is so much later than a step should take (see docs/internals/sweeps.md)")
      ->capture_default_str()
      ->check(positive_number());
  takes_no_files(command, {"--device"});
}

}  // namespace mlmq::cli
