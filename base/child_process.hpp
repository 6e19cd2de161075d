// SPDX-License-Identifier: Apache-2.0
// A child process: lines to its standard input, and its standard output and error, which can be read without waiting.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq {

/// How a process ended.
struct process_end {
  int exit_code = 0;  ///< meaningful when no signal ended it
  int signal = 0;     ///< that ended it; 0: it exited

  /// "SIGSEGV (Segmentation fault)" or "exit status 3".
  [[nodiscard]] std::string describe() const;
};

/// Move-only. It is a process group of its own, so that a terminal's Ctrl-C does not reach it and kill() also ends what
/// it has started. Killed and reaped at the end of its life.
class child_process {
 public:
  /// @param arguments the first is the path of the program. @param variables set in its environment, which is otherwise
  /// this process's. @throws work_error when it cannot be started
  explicit child_process(const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& variables = {});
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&& other) noexcept;
  ~child_process();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// To poll; -1 after the stream's end was read.
  [[nodiscard]] int output() const noexcept { return output_; }
  [[nodiscard]] int errors() const noexcept { return errors_; }

  /// Appends what there is to `text`, without waiting. The descriptor is closed at the end of the stream.
  void read_output(std::string& text);
  void read_errors(std::string& text);

  /// Sends what the child has room for at once; flush() sends the rest. @return false when the child is gone
  bool send(std::string_view text);
  /// Sends more of what waits to be sent, without waiting. @return false when the child is gone
  bool flush();
  /// To poll for writing; -1 when nothing waits to be sent.
  [[nodiscard]] int unsent() const noexcept { return unsent_.empty() ? -1 : input_; }

  void kill() const noexcept;
  /// Whether a signal has stopped it (SIGSTOP, SIGTSTP, …), so that it does nothing until it is continued.
  [[nodiscard]] bool is_stopped() const noexcept;
  /// How it ended, once it has.
  [[nodiscard]] std::optional<process_end> poll_end();

 private:
  void swap(child_process& other) noexcept;

  pid_t pid_ = 0;
  int input_ = -1;  // a socket: writing to a dead child is an error, not a signal
  int output_ = -1;
  int errors_ = -1;
  std::string unsent_;
  std::optional<process_end> end_;
};

}  // namespace mlmq
