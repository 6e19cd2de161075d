// SPDX-License-Identifier: Apache-2.0
// Checks the namespace of an exported header.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"

namespace mlmq::selector {

/// Returns whether C++20 reserves the word.
[[nodiscard]] inline bool is_keyword(std::string_view name) {
  static constexpr std::array<std::string_view, 92> words{
      "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
      "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq"};
  return std::find(words.begin(), words.end(), name) != words.end();
}

[[nodiscard]] inline bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) && !is_keyword(name) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// @throws input_error unless the name is an identifier, or several identifiers joined by ::
inline void check_name_space(std::string_view name) {
  std::string_view rest = name;
  for (;;) {
    const auto end = rest.find("::");
    if (!is_identifier(rest.substr(0, end)))
      throw input_error(fmt::format("'{}' cannot be the name of a C++ namespace", name));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 2);
  }
}

}  // namespace mlmq::selector
