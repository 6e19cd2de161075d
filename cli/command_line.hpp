// SPDX-License-Identifier: Apache-2.0
// The command `mlmq`: subcommands, and what their errors become.
#pragma once

namespace mlmq::cli {

/// Exit status of every command.
enum exit_status : int {
  exit_ok = 0,
  exit_failed = 1,  ///< the work failed: wrong answers, failed trials, I/O, a device
  exit_usage = 2,   ///< the command line or an input cannot be used
};

/// Parses and runs. Errors are one line on stderr.
int run(int argc, const char* const* argv);

}  // namespace mlmq::cli
