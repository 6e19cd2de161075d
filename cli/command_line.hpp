// SPDX-License-Identifier: Apache-2.0
// The command `mlmq`: parsing, subcommands and error handling.
#pragma once

namespace mlmq::cli {

/// Exit status of every command.
enum exit_status : int {
  exit_ok = 0,
  exit_failed = 1,  ///< the work failed: wrong answers, failed trials, I/O, a device
  exit_usage = 2,   ///< the command line or an input cannot be used
};

/// Parses the arguments and runs the command. Prints errors as one line on stderr.
int run(int argc, const char* const* argv);

}  // namespace mlmq::cli
