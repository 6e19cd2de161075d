// SPDX-License-Identifier: Apache-2.0
// Runs another program and collects its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace mlmq {

struct process_result {
  int exit_code = -1;      ///< 128 + signal if a signal ended the process
  bool timed_out = false;  ///< the process was killed at the time limit
  std::string output;      ///< stdout and stderr, interleaved as written
};

/// Runs `arguments[0]` from PATH, without a shell, stdin from /dev/null.
/// @param output_limit number of bytes of output to keep; the rest is read and dropped
/// @throws work_error if the program cannot be started; stopped_error if a stop was requested (the program is killed
///   first)
[[nodiscard]] process_result run_process(const std::vector<std::string>& arguments,
                                         std::chrono::milliseconds time_limit,
                                         std::size_t output_limit = std::numeric_limits<std::size_t>::max());

}  // namespace mlmq
