// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cli/print_text.hpp"

namespace mlmq::cli {

namespace {

/// Returns the longest prefix of `text` with at most `columns` characters.
std::string cut(const std::string& text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t used = 0; end < text.size(); ++used) {
    std::size_t next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    if (used == columns) break;
    end = next;
  }
  return text.substr(0, end);
}

/// Returns whether standard error is a terminal on which a line can be written again.
bool is_updatable_terminal() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::string bar_of(double share) {
  constexpr std::size_t width = 20;
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "] ";
}

}  // namespace

progress_line::progress_line(bool quiet, std::chrono::milliseconds interval)
    : quiet_(quiet),
      terminal_(is_updatable_terminal()),
      interval_(terminal_ ? std::chrono::milliseconds(200) : interval),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_) {}

progress_line::~progress_line() { end(); }

void progress_line::end() {
  if (terminal_ && shown_) std::fputc('\n', stderr);
  shown_ = false;
}

bool progress_line::due() const { return !quiet_ && std::chrono::steady_clock::now() - last_ >= interval_; }

void progress_line::show(const std::string& text) { print("", text); }

void progress_line::show(const progress_state& state) {
  std::optional<double> share = state.share_done;
  if (!share && state.total > 0) share = static_cast<double>(state.done) / static_cast<double>(state.total);
  if (share) share = std::clamp(*share, 0.0, 1.0);
  std::optional<double> seconds_left = state.seconds_left;
  if (!seconds_left && share && *share > 0) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    seconds_left = elapsed.count() * (1 - *share) / *share;
  }
  std::string text = state.total > 0 ? fmt::format("{}/{} {}", state.done, state.total, state.unit)
                                     : fmt::format("{} {}", state.done, state.unit);
  if (seconds_left) text += fmt::format(", {} left", duration_text(*seconds_left));
  if (!state.details.empty()) text += ", " + state.details;
  print(share ? bar_of(*share) : "", text);
}

void progress_line::print(const std::string& bar, const std::string& text) {
  last_ = std::chrono::steady_clock::now();
  shown_ = true;
  if (!terminal_) {
    print_text(stderr, "{}\n", text);
    return;
  }
  winsize size{};
  std::size_t width = 80;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) width = size.ws_col;
  const std::size_t rest = width - 1 - std::min(bar.size(), width - 1);
  fmt::print(stderr, "\r{}{:<{}}", coloured(stderr, colour::cyan, cut(bar, width - 1)), cut(printable(text), rest),
             rest);
  std::fflush(stderr);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace mlmq::cli
