// SPDX-License-Identifier: Apache-2.0
#include "graph/text_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "base/error.hpp"

namespace mlmq::graph {
namespace {

// The fuzzer's files are small. With a small buffer, it also covers the code at the end of the buffer.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr std::size_t buffer_size = std::size_t{1} << 10;
constexpr std::size_t large_buffer_size = std::size_t{1} << 12;
#else
constexpr std::size_t buffer_size = std::size_t{1} << 20;
constexpr std::size_t large_buffer_size = std::size_t{1} << 25;
#endif

}  // namespace

text_reader::text_reader(const std::filesystem::path& file) : line_place(file), source_(file), buffer_(buffer_size) {}

bool text_reader::next_line(std::string_view& line) {
  std::size_t searched = begin_;
  const char* match = nullptr;
  for (;;) {
    match = static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    if (match != nullptr) break;
    const std::size_t length = end_ - begin_;
    if (!refill()) break;
    searched = begin_ + length;
  }
  // Report damage before returning an incomplete line, whose last number may be truncated.
  if (match == nullptr && !source_.failure().empty()) {
    fail_at(line_number_ + 1, source_.failure());
  }
  if (match == nullptr && begin_ == end_) return false;
  ++line_number_;
  const char* const first = buffer_.data() + begin_;
  auto length = (match != nullptr ? static_cast<std::size_t>(match - first) : end_ - begin_);
  begin_ += length + (match != nullptr ? 1 : 0);
  if (length > 0 && first[length - 1] == '\r') --length;
  line = {first, length};
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (line_number_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  return true;
}

bool text_reader::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  passed_ += begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    fail_at(line_number_ + 1, fmt::format("the line is longer than {} characters", buffer_.size()));
  }
  const std::size_t count = source_.read(std::span(buffer_).subspan(end_));
  at_end_ = count < buffer_.size() - end_;
  end_ += count;
  return count > 0;
}

std::string_view text_reader::buffered_lines() {
  buffer_.resize(large_buffer_size);
  // A defect of the data is reported by next_line(), with its line.
  if (source_.failure().empty() && end_ - begin_ < buffer_.size() / 2) refill();
  const std::string_view text(buffer_.data() + begin_, end_ - begin_);
  return text.substr(0, text.rfind('\n') + 1);  // npos + 1 is 0
}

void text_reader::skip(std::size_t bytes, std::uint64_t lines) {
  begin_ += bytes;
  line_number_ += lines;
}

void line_place::fail_at(std::uint64_t line, std::string_view message) const {
  throw input_error(fmt::format("{}:{}: {}", file_.string(), line, message));
}

void line_place::fail_file(std::string_view message) const {
  throw input_error(fmt::format("{}: {}", file_.string(), message));
}

std::optional<std::uint64_t> parse_count(std::string_view token) noexcept {
  std::uint64_t number = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string in_quotes(std::string_view token) {
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (const char c : token.substr(0, longest)) text += c >= 0x20 && c < 0x7F ? c : '?';
  return text + (token.size() > longest ? "…'" : "'");
}

}  // namespace mlmq::graph
