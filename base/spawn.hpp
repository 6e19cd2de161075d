// SPDX-License-Identifier: Apache-2.0
// Starting another program.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace mlmq {

/// What a program is started with.
struct spawn_settings {
  int input = -1;  ///< a descriptor that becomes its standard input; -1: /dev/null
  int output = -1;
  int errors = -1;
  std::map<std::string, std::string> variables = {};  ///< set in its environment, otherwise this process's
};

/// Starts `arguments[0]` from PATH, without a shell, as a process group of its own: a terminal's Ctrl-C does not reach
/// it, and a signal to the group reaches what it has started as well. The caller reaps it.
/// @throws work_error when it cannot be started
[[nodiscard]] pid_t spawn(const std::vector<std::string>& arguments, const spawn_settings& settings);

}  // namespace mlmq
