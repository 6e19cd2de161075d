// SPDX-License-Identifier: Apache-2.0
// A child process that receives lines on its standard input, and whose standard output and error can be read without
// blocking.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/spawn.hpp"

namespace mlmq {

/// Exit code or signal with which a process ended.
struct process_end {
  int exit_code = 0;  ///< valid only if signal is 0
  int signal = 0;     ///< signal that ended the process; 0: it exited

  /// Returns "SIGSEGV (Segmentation fault)" or "exit status 3".
  [[nodiscard]] std::string describe() const;
};

/// A child process. Move-only. It is a process_group: kill() also ends the processes that the child has started. The
/// destructor kills and reaps it.
class child_process {
 public:
  /// Starts the child.
  /// @param arguments the first is the path of the program
  /// @param variables environment variables that are set in addition to those of this process
  /// @throws work_error if the child cannot be started
  explicit child_process(const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& variables = {});
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&& other) noexcept;
  ~child_process();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Returns the descriptor of the child's standard output, for polling; -1 after the end of the stream was read.
  [[nodiscard]] int output() const noexcept { return output_; }
  [[nodiscard]] int errors() const noexcept { return errors_; }

  /// Appends the available output to `text`, without blocking. At the end of the stream, closes the descriptor.
  void read_output(std::string& text);
  void read_errors(std::string& text);

  /// Sends as much as the child can receive at once; flush() sends the rest. @return false if the child has ended
  bool send(std::string_view text);
  /// Sends more of the text that has not been sent yet, without blocking. @return false if the child has ended
  bool flush();
  /// Returns the descriptor to poll for writing; -1 if there is nothing to send.
  [[nodiscard]] int unsent() const noexcept { return unsent_.empty() ? -1 : input_; }

  void kill() const noexcept;
  /// Returns whether a signal (SIGSTOP, SIGTSTP, …) has stopped the child, so that it does nothing until it is
  /// continued.
  [[nodiscard]] bool is_stopped() const noexcept;
  /// Returns how the child ended; empty while it is running.
  [[nodiscard]] std::optional<process_end> poll_end();

 private:
  void swap(child_process& other) noexcept;

  process_group group_;
  pid_t pid_ = 0;   // also after its end
  int input_ = -1;  // a socket: writing to a dead child is an error, not a signal
  int output_ = -1;
  int errors_ = -1;
  std::string unsent_;
  std::optional<process_end> end_;
};

}  // namespace mlmq
