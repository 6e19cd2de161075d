// SPDX-License-Identifier: Apache-2.0
// Starts another program in a process group that ends with it and with this process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
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
  std::uint64_t memory_bytes =
      std::numeric_limits<std::uint64_t>::max();  ///< limit of the data of each process of the group
  std::uint64_t file_bytes = std::numeric_limits<std::uint64_t>::max();  ///< limit of each file that it writes
};

/// How a program ended.
struct spawn_end {
  int status = 0;                ///< as of waitpid(2)
  std::uint64_t peak_bytes = 0;  ///< largest resident set of the program and the descendants that it has waited for
};

/// A program and the processes that it starts, in a process group of their own: a terminal's Ctrl-C does not reach
/// them. All of them are killed when the program ends, when this object is destroyed, and when this process ends for
/// any reason. Move-only.
class process_group {
 public:
  process_group() = default;
  /// Starts `arguments[0]` from PATH, without a shell.
  /// @throws work_error if the program cannot be started
  process_group(const std::vector<std::string>& arguments, const spawn_settings& settings);
  process_group(process_group&& other) noexcept;
  process_group& operator=(process_group&& other) noexcept;
  ~process_group();

  /// Returns the program's process; 0 without a program, and after its end.
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  void kill() const noexcept;
  /// Returns how the program ended; empty while it is running, and after an end that was already returned.
  [[nodiscard]] std::optional<spawn_end> poll();
  /// Waits for the end of a running program.
  spawn_end wait();

 private:
  std::optional<spawn_end> reap(int options);

  pid_t pid_ = 0;
};

}  // namespace mlmq
