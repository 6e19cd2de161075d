// SPDX-License-Identifier: Apache-2.0
// What the text of a kernel's source tells without compiling it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::kernel {

/// Returns the text with comments and literals replaced by blanks; lines stay.
[[nodiscard]] std::string without_comments(std::string_view source);

/// A word, a punctuation character (or "::"), or a whole directive of the preprocessor with its continued lines.
struct source_token {
  enum class kind { word, sign, directive };
  kind type = kind::word;
  std::string_view text;
  [[nodiscard]] bool is(std::string_view expected) const { return text == expected; }
  [[nodiscard]] bool is_word() const { return type == kind::word; }
};

/// Splits a text without comments, in time linear in its length. The tokens are views of it.
[[nodiscard]] std::vector<source_token> source_tokens(std::string_view text);

/// Returns the one of `macros` that the source declares first, as a variable, parameter or template argument, or "".
[[nodiscard]] std::string declared_macro(std::string_view source, std::span<const std::string> macros);

}  // namespace mlmq::kernel
