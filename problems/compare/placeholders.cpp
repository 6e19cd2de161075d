// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/placeholders.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mlmq::compare {

std::string replace_placeholders(std::string_view word,
                                 const std::function<std::string(const std::string&)>& value_of) {
  std::string result;
  while (!word.empty()) {
    const std::size_t open = word.find('{');
    const std::size_t close = open == std::string_view::npos ? open : word.find('}', open);
    if (close == std::string_view::npos) return result + std::string(word);
    result += word.substr(0, open);
    result += value_of(std::string(word.substr(open + 1, close - open - 1)));
    word.remove_prefix(close + 1);
  }
  return result;
}

void check_placeholders(std::span<const std::string> words, std::span<const std::string> known_names,
                        const tuner::yaml_value& node) {
  for (const std::string& word : words) {
    (void)replace_placeholders(word, [&](const std::string& name) {
      if (std::find(known_names.begin(), known_names.end(), name) == known_names.end()) {
        node.fail("unknown placeholder {" + name + "}" + did_you_mean(name, known_names));
      }
      return "";
    });
  }
}

bool mentions(std::span<const std::string> words, const std::string& placeholder) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.find("{" + placeholder + "}") != std::string::npos; });
}

}  // namespace mlmq::compare
