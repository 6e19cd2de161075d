// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "cli/print_text.hpp"

namespace mlmq::cli {

progress_line::progress_line(bool quiet, std::chrono::milliseconds interval)
    : quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) != 0),
      interval_(terminal_ ? std::chrono::milliseconds(200) : interval),
      last_(std::chrono::steady_clock::now()) {}

progress_line::~progress_line() { end(); }

void progress_line::end() {
  if (terminal_ && shown_) std::fputc('\n', stderr);
  shown_ = false;
}

bool progress_line::due() const { return !quiet_ && std::chrono::steady_clock::now() - last_ >= interval_; }

void progress_line::show(const std::string& text) {
  last_ = std::chrono::steady_clock::now();
  shown_ = true;
  if (!terminal_) {
    print_text(stderr, "{}\n", text);
    return;
  }
  winsize size{};
  std::size_t width = 80;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) width = size.ws_col;
  fmt::print(stderr, "\r{:<{}}", printable(text).substr(0, width - 1), width - 1);
  std::fflush(stderr);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace mlmq::cli
