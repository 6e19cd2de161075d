// SPDX-License-Identifier: Apache-2.0
// Reads lines and tokens of a text file, plain or gzip, and tracks the line number for error messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.hpp"

namespace mlmq::graph {

/// A line of a file, for error messages.
class line_place {
 public:
  explicit line_place(std::filesystem::path file) : file_(std::move(file)) {}

  /// Returns the number of the line, from 1; 0 before the first one.
  [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }

  /// @throws input_error "FILE:LINE: MESSAGE"
  [[noreturn]] void fail(std::string_view message) const { fail_at(line_number_, message); }
  [[noreturn]] void fail_at(std::uint64_t line, std::string_view message) const;
  /// @throws input_error "FILE: MESSAGE", for errors that do not concern a single line
  [[noreturn]] void fail_file(std::string_view message) const;

 protected:
  std::uint64_t line_number_ = 0;

 private:
  std::filesystem::path file_;
};

/// Reads lines. Its line_number() is that of the line that next_line() last returned.
class text_reader : public line_place {
 public:
  /// Opens a file. @throws input_error naming the file, if it cannot be opened
  explicit text_reader(const std::filesystem::path& file);

  /// Reads the next line without its line end (\n or \r\n) and, on the first line, without a UTF-8 byte-order mark. The
  /// line is valid until the next call.
  /// @return false at the end of the file
  /// @throws input_error if the data is damaged or a line is absurdly long
  bool next_line(std::string_view& line);

  /// Returns the next whole lines, up to 32 MB, with their line ends; "" before the end of the file, whose last lines
  /// only next_line() returns. Valid until the next call of another function.
  [[nodiscard]] std::string_view buffered_lines();
  /// Skips lines that buffered_lines() returned.
  void skip(std::size_t bytes, std::uint64_t lines);
  /// Returns the number of (decompressed) bytes before the next line.
  [[nodiscard]] std::uint64_t position() const noexcept { return passed_ + begin_; }

 private:
  bool refill();

  byte_source source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< begin of the unread bytes in buffer_
  std::size_t end_ = 0;
  std::uint64_t passed_ = 0;  ///< number of bytes that have left the buffer
  bool at_end_ = false;
};

/// Removes the next run of non-blank characters from the front of `rest` and returns it; "" at the end of `rest`.
[[nodiscard]] inline std::string_view next_token(std::string_view& rest) noexcept {
  const char* position = rest.data();
  const char* const end = position + rest.size();
  while (position != end && (*position == ' ' || *position == '\t')) ++position;
  const char* const first = position;
  while (position != end && *position != ' ' && *position != '\t') ++position;
  rest = {position, static_cast<std::size_t>(end - position)};
  return {first, static_cast<std::size_t>(position - first)};
}

/// Parses a decimal number without a sign. Returns empty if the token is not such a number or needs more than 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view token) noexcept;

/// Returns the token in quotes, shortened and with unprintable characters replaced, for an error message.
[[nodiscard]] std::string in_quotes(std::string_view token);

}  // namespace mlmq::graph
