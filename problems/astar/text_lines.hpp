// SPDX-License-Identifier: Apache-2.0
// Reads the lines of a file and reports errors with their line number.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_source.hpp"
#include "base/error.hpp"

namespace mlmq::astar {

/// Reads lines in order. A line ends with a newline, optionally preceded by a carriage return.
class text_lines {
 public:
  /// @throws input_error naming the file if it cannot be read
  explicit text_lines(const std::filesystem::path& file)
      : file_(file.string()),
        loaded_(load_bytes(file)),
        rest_(reinterpret_cast<const char*>(loaded_.bytes.data()), loaded_.bytes.size()) {}

  /// Returns the next line; nothing at the end of the file.
  [[nodiscard]] std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  /// Returns the number of the current line, which next() returned last.
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return loaded_.bytes; }

  /// @throws input_error "FILE:LINE: MESSAGE" for the current line
  [[noreturn]] void fail(const std::string& message) const {
    throw input_error(fmt::format("{}:{}: {}", file_, number_, message));
  }
  /// @throws input_error "FILE: MESSAGE"
  [[noreturn]] void fail_for_file(const std::string& message) const {
    throw input_error(fmt::format("{}: {}", file_, message));
  }

 private:
  std::string file_;
  loaded_bytes loaded_;
  std::string_view rest_;
  int number_ = 0;
};

/// Parses `text` completely as a number; nothing if it is not one.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Returns the start of a text from a file, for messages, with non-printable characters replaced.
[[nodiscard]] inline std::string excerpt(std::string_view text) {
  std::string shown;
  for (const char letter : text.substr(0, 40)) shown += letter >= ' ' && letter <= '~' ? letter : '?';
  return text.size() > 40 ? shown + "…" : shown;
}

}  // namespace mlmq::astar
