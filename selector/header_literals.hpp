// SPDX-License-Identifier: Apache-2.0
// Formats numbers and texts as literals of an exported header.
#pragma once

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mlmq::selector {

inline constexpr std::size_t line_width = 110;

/// Returns a hexadecimal literal, so that the compiler reads exactly this number.
[[nodiscard]] inline std::string literal(float number) {
  if (std::isnan(number)) return "missing";
  std::array<char, 32> digits{};
  const float magnitude = std::abs(number);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude, std::chars_format::hex).ptr;
  return fmt::format("{}0x{}f", std::signbit(number) ? "-" : "",
                     std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

template <std::integral T>
[[nodiscard]] std::string literal(T number) {
  return std::to_string(+number);
}

/// Returns a string literal. Its octal escapes have three digits, so that they cannot include the following character.
[[nodiscard]] inline std::string literal(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte > 0x7e || c == '?') {  // '?': old compilers know trigraphs
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// Returns the definition of an array of values that literal() supports, in lines of similar width.
template <typename T>
[[nodiscard]] std::string array(std::string_view type, std::string_view name, std::span<const T> items) {
  std::string text = fmt::format("inline constexpr {} {}[] = {{\n", type, name);
  std::string line = "    ";
  for (const T& item : items) {
    const std::string piece = literal(item) + ',';
    if (line.size() + piece.size() > line_width && line.size() > 4) {
      text += line + '\n';
      line = "    ";
    }
    line += piece;
  }
  return text + line + "\n};\n";
}

}  // namespace mlmq::selector
