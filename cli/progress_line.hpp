// SPDX-License-Identifier: Apache-2.0
// Progress of long commands on standard error: an updated bar on a terminal, plain lines at intervals elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mlmq::cli {

/// Progress of a command.
struct progress_state {
  std::size_t done = 0;
  std::size_t total = 0;                    ///< 0: unknown
  std::string_view unit;                    ///< what is counted, such as "trials"
  std::string details = {};                 ///< may be empty
  std::optional<double> share_done = {};    ///< 0 to 1; empty: done / total
  std::optional<double> seconds_left = {};  ///< empty: estimated from the finished share
};

class progress_line {
 public:
  /// @param quiet prints nothing @param interval between plain lines
  explicit progress_line(bool quiet = false, std::chrono::milliseconds interval = std::chrono::seconds(5));
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  /// Ends the current line.
  ~progress_line();

  /// Returns whether it is time for show(), so that callers can skip building the text.
  [[nodiscard]] bool due() const;
  /// Shows a step of unknown length.
  void show(const std::string& text);
  /// Shows counts, the remaining time and details; on a terminal also a bar.
  void show(const progress_state& state);
  /// Ends the current line, so that the next output begins on a new line.
  void end();

 private:
  void print(const std::string& bar, const std::string& text);

  bool quiet_;
  bool terminal_;
  std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
  bool shown_ = false;
};

/// Returns a duration such as "3 s", "2 min 5 s" or "1 h 10 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace mlmq::cli
