// SPDX-License-Identifier: Apache-2.0
// Runs another program and collects its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace mlmq {

struct process_result {
  int exit_code = -1;            ///< 128 + signal if a signal ended the process
  bool timed_out = false;        ///< the process was killed at the time limit
  std::uint64_t peak_bytes = 0;  ///< largest memory of one of its processes
  std::string output;            ///< stdout and stderr, interleaved as written

  /// Returns "ended with exit status 3" or "was ended by signal 11 (Segmentation fault)".
  [[nodiscard]] std::string describe_end() const;
};

/// What a program may use.
struct process_limits {
  std::chrono::milliseconds time;
  std::size_t kept_output = std::size_t{64} << 20;  ///< bytes of output to keep; the rest is read and dropped
  std::uint64_t memory_bytes = most_memory();       ///< of each of its processes
  std::uint64_t file_bytes = std::numeric_limits<std::uint64_t>::max();  ///< of each file that it writes

  /// Returns three quarters of the memory of this machine.
  [[nodiscard]] static std::uint64_t most_memory();
};

/// Runs `arguments[0]` from PATH, without a shell, stdin from /dev/null. The processes that it starts are killed when
/// it ends, and when this process ends for any reason.
/// @param variables environment variables that are set in addition to those of this process
/// @throws work_error if the program cannot be started; stopped_error if a stop was requested (the program is killed
///   first)
[[nodiscard]] process_result run_process(const std::vector<std::string>& arguments, const process_limits& limits,
                                         const std::map<std::string, std::string>& variables = {});

}  // namespace mlmq
