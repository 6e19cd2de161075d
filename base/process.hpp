// SPDX-License-Identifier: Apache-2.0
// Running another program and collecting what it said.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace mlmq {

struct process_result {
  int exit_code = -1;      ///< 128 + signal when a signal ended it
  bool timed_out = false;  ///< it was killed at the time limit
  std::string output;      ///< stdout and stderr, interleaved as written
};

/// Runs `arguments[0]` from PATH, without a shell, stdin from /dev/null.
/// @param output_limit bytes of output that are kept; what is written beyond is read and dropped
/// @throws work_error when the program cannot be started; stopped_error, after the program was killed
[[nodiscard]] process_result run_process(const std::vector<std::string>& arguments,
                                         std::chrono::milliseconds time_limit,
                                         std::size_t output_limit = std::numeric_limits<std::size_t>::max());

}  // namespace mlmq
