// SPDX-License-Identifier: Apache-2.0
// Lexer of expressions.
#pragma once

#include <string>
#include <vector>

#include "tuner/expression.hpp"

namespace mlmq::tuner {

enum class token_kind {
  number,       // also true and false
  parameter,    // of a numeric or boolean type
  text,         // a text constant or a parameter of type text
  function,     // min, max, abs, power_of_two
  open,         //
  close,        //
  comma,        //
  negation,     // not
  prefix,       // !
  sign,         // + - : binary or prefix, depending on the position
  product,      // * / %
  power,        // ^
  comparison,   // == != < <= > >=
  conjunction,  // and &&
  disjunction,  // or ||
  end
};

struct token {
  token_kind kind = token_kind::end;
  std::string written;                             ///< source text; distinguishes signs of one kind
  std::size_t position = 0;                        ///< position in the source text, from 0
  exact_number constant = {};                      ///< value of a number or a text constant
  std::optional<std::size_t> slot = std::nullopt;  ///< slot of a parameter
};

/// Returns the reserved words, which cannot be parameter names.
[[nodiscard]] std::span<const std::string_view> language_words() noexcept;

/// Splits `source` into tokens; the last one has the kind `end`. @throws input_error like expression
[[nodiscard]] std::vector<token> tokens_of(const condition& source, const symbol_table& symbols);

/// @throws input_error "FILE:LINE: in 'TEXT' at N: MESSAGE", always
[[noreturn]] void fail_at(const condition& source, std::size_t position, const std::string& message);

}  // namespace mlmq::tuner
