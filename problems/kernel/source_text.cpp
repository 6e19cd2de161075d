// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace mlmq::kernel {

std::string without_comments(std::string_view source) {
  std::string text(source);
  const auto blank = [&text](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, text.size()); ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      end = close == std::string::npos ? text.size() : close + 2;
      blank(i, end);
    } else if (text[i] == '"') {
      while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      blank(i, ++end);
    }
    i = end;
  }
  return text;
}

std::vector<source_token> source_tokens(std::string_view text) {
  std::vector<source_token> tokens;
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  bool begins_line = true;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i++;
    if (text[start] == '\n') begins_line = true;
    if (std::isspace(static_cast<unsigned char>(text[start])) != 0) continue;
    source_token::kind type = source_token::kind::sign;
    if (text[start] == '#' && begins_line) {
      type = source_token::kind::directive;
      while (i < text.size() && (text[i] != '\n' || text[i - 1] == '\\')) ++i;
    } else if (is_word(start)) {
      type = source_token::kind::word;
      while (is_word(i)) ++i;
    } else if (text.substr(start, 2) == "::") {
      ++i;
    }
    begins_line = false;
    tokens.push_back({.type = type, .text = text.substr(start, i - start)});
  }
  return tokens;
}

std::string declared_macro(std::string_view source, std::span<const std::string> macros) {
  static const std::set<std::string_view> qualifiers = {"const", "constexpr", "static", "volatile", "register"};
  static const std::set<std::string_view> numbers = {"unsigned", "signed", "long",   "short", "int",
                                                     "char",     "float",  "double", "bool",  "half"};
  static const std::set<std::string_view> statements = {"return", "else", "case", "goto", "do", "throw", "sizeof"};
  static const std::set<std::string_view> ends = {"=", ";", ",", ")", ">", "[", "{", ":"};
  const std::set<std::string_view> names(macros.begin(), macros.end());
  const std::string text = without_comments(source);
  const std::vector<source_token> tokens = source_tokens(text);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens[i].is_word() || !names.contains(tokens[i].text)) continue;
    if (i + 1 < tokens.size() && !ends.contains(tokens[i + 1].text)) continue;
    if (i + 2 < tokens.size() && tokens[i + 1].is("=") && tokens[i + 2].is("=")) continue;
    std::size_t before = i;
    while (before > 0 && (tokens[before - 1].is("*") || tokens[before - 1].is("&"))) --before;
    // A product of two names looks like the declaration of a pointer, so only pointers to numbers count.
    const bool is_pointer = before < i && !(before > 0 && tokens[before - 1].is("auto"));
    bool has_type = false;
    bool are_numbers = true;
    for (; before > 0 && tokens[before - 1].is_word() && !statements.contains(tokens[before - 1].text); --before) {
      if (qualifiers.contains(tokens[before - 1].text)) continue;
      has_type = true;
      are_numbers = are_numbers && numbers.contains(tokens[before - 1].text);
    }
    if (has_type && (!is_pointer || are_numbers)) return std::string(tokens[i].text);
  }
  return "";
}

}  // namespace mlmq::kernel
