// SPDX-License-Identifier: Apache-2.0
#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mlmq {
namespace {

unsigned char byte_at(std::string_view text, std::size_t index) { return static_cast<unsigned char>(text[index]); }

/// Returns the length of the UTF-8 sequence at the start of `text`, or 0 if it does not start with one.
std::size_t sequence_length(std::string_view text) {
  const unsigned char first = byte_at(text, 0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  // Reject overlong encodings, UTF-16 surrogates, and values beyond the last character.
  if (length < 2) return length;
  const unsigned char second = byte_at(text, 1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90) || (first == 0xED && second >= 0xA0) ||
      (first == 0xF4 && second >= 0x90)) {
    return 0;
  }
  return length;
}

bool is_control(std::string_view sequence) {
  const unsigned char first = byte_at(sequence, 0);
  if (sequence.size() == 1) return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F;
  // U+0080 to U+009F are control characters: terminals interpret U+009B as "ESC [".
  return first == 0xC2 && byte_at(sequence, 1) < 0xA0;
}

/// Returns `text` with bytes that are not UTF-8, and sequences for which `is_unwanted` is true, as in a C string.
template <class Condition>
std::string escaped(std::string_view text, const Condition& is_unwanted) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::size_t taken = std::max<std::size_t>(length, 1);
    const std::string_view sequence = text.substr(0, taken);
    if (length == 0 || is_unwanted(sequence)) {
      for (std::size_t i = 0; i < taken; ++i) result += fmt::format("\\x{:02x}", byte_at(sequence, i));
    } else {
      result += sequence;
    }
    text.remove_prefix(taken);
  }
  return result;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Appends a quote, without its middle if it is too long. Two thirds of the result are the start of the quote, and the
/// rest is its end, where a path has the file name.
void append_quote(std::string& message, std::string_view quote) {
  if (quote.size() <= longest_quote) {
    message += quote;
    return;
  }
  std::size_t head = longest_quote * 2 / 3;
  while (head > 0 && is_continuation(quote[head])) --head;
  std::size_t tail = quote.size() - longest_quote / 3;
  while (tail < quote.size() && is_continuation(quote[tail])) ++tail;
  message += quote.substr(0, head);
  message += "…";
  message += quote.substr(tail);
}

bool is_space(char character) { return character == ' ' || character == '\n' || character == '\t'; }

/// Returns the end of the text in single quotes that starts at `start`, or npos: an apostrophe does not start a quote.
std::size_t end_of_quote(std::string_view message, std::size_t start) {
  if (start > 0 && !is_space(message[start - 1]) && message[start - 1] != '(') return std::string_view::npos;
  for (std::size_t end = message.find('\'', start + 1); end != std::string_view::npos;
       end = message.find('\'', end + 1)) {
    if (end + 1 == message.size() || is_space(message[end + 1]) ||
        std::string_view(",;:.)").find(message[end + 1]) != std::string_view::npos) {
      return end;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, is_control); }

std::string as_utf8(std::string_view text) {
  return escaped(text, [](std::string_view /*sequence*/) { return false; });
}

std::string with_short_quotes(std::string_view message) {
  std::string result;
  std::size_t position = 0;
  while (position < message.size()) {
    if (message[position] == '\'') {
      if (const std::size_t end = end_of_quote(message, position); end != std::string_view::npos) {
        result += '\'';
        append_quote(result, message.substr(position + 1, end - position - 1));
        result += '\'';
        position = end + 1;
        continue;
      }
    }
    std::size_t end = position + 1;
    while (end < message.size() && !is_space(message[end - 1]) && !is_space(message[end])) ++end;
    append_quote(result, message.substr(position, end - position));
    position = end;
  }
  return result;
}

}  // namespace mlmq
