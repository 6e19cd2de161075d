// SPDX-License-Identifier: Apache-2.0
// Running another program and collecting what it said.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mlmq {

struct process_result {
  int exit_code = -1;      ///< 128 + signal when a signal ended it
  bool timed_out = false;  ///< it was killed at the time limit
  std::string output;      ///< stdout and stderr, interleaved as written
};

/// Runs `arguments[0]` from PATH, without a shell, stdin from /dev/null.
/// @throws work_error when the program cannot be started.
[[nodiscard]] process_result run_process(const std::vector<std::string>& arguments,
                                         std::chrono::milliseconds time_limit);

}  // namespace mlmq
