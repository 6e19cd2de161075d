// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

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

std::string declared_macro(std::string_view source, std::span<const std::string> macros) {
  const std::string text = without_comments(source);
  // A product of two names looks like the declaration of a pointer, so only pointers to numbers count.
  const std::string start = R"((?:^|[\n;{}(,<])\s*(?:(?:const|constexpr|static|volatile|register)\s+)*)";
  const std::string number =
      R"((?:(?:unsigned|signed|long|short)\s+)*(?:int|unsigned|long|short|char|float|double|bool|half))";
  const std::string type = R"((?!return\b|else\b|case\b|goto\b)[A-Za-z_][\w:]*(?:\s+(?:int|long|char))?&?\s+&?)";
  for (const std::string& macro : macros) {
    const std::string name = macro + R"(\s*(?:[=;,)>\[{]|:[^:]|$))";
    const std::regex pointer(start + number + R"(\s*[&*]+\s*)" + name);
    const std::regex declaration(start + type + name);
    if (std::regex_search(text, pointer) || std::regex_search(text, declaration)) return macro;
  }
  return "";
}

}  // namespace mlmq::kernel
