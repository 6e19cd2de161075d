// SPDX-License-Identifier: Apache-2.0
// Starts another program.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace mlmq {

/// Settings for starting a program.
struct spawn_settings {
  int input = -1;  ///< descriptor for its standard input; -1: /dev/null
  int output = -1;
  int errors = -1;
  std::map<std::string, std::string> variables =
      {};  ///< environment variables that are set in addition to those of this process
};

/// Starts `arguments[0]` from PATH, without a shell, in its own process group: a terminal's Ctrl-C does not reach it,
/// and a signal to the group also reaches the processes that it has started. The caller must reap it.
/// @throws work_error if the program cannot be started
[[nodiscard]] pid_t spawn(const std::vector<std::string>& arguments, const spawn_settings& settings);

}  // namespace mlmq
