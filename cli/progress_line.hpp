// SPDX-License-Identifier: Apache-2.0
// Progress for a person: one line that is rewritten on a terminal, plain lines at intervals elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace mlmq::cli {

class progress_line {
 public:
  /// Writes to stderr. @param quiet never due @param interval between plain lines
  explicit progress_line(bool quiet = false, std::chrono::milliseconds interval = std::chrono::seconds(5));
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  /// Ends the rewritten line.
  ~progress_line();

  /// Whether show() would print now; building the text can be skipped otherwise.
  [[nodiscard]] bool due() const;
  void show(const std::string& text);
  /// Ends the rewritten line, so that what is printed next has a line of its own.
  void end();

 private:
  bool quiet_;
  bool terminal_;
  std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point last_;
  bool shown_ = false;
};

/// "3 s", "2 min 5 s", "1 h 10 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace mlmq::cli
