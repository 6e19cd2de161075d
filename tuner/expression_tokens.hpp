// SPDX-License-Identifier: Apache-2.0
// The words and signs of an expression.
#pragma once

#include <string>
#include <vector>

#include "tuner/expression.hpp"

namespace mlmq::tuner {

enum class token_kind {
  number,      // also true and false
  parameter,   // of a numeric or boolean type
  text,        // a text constant or a parameter of type text
  function,    // min, max, abs, power_of_two
  open,        //
  close,       //
  comma,       //
  negation,    // not
  prefix,      // !
  sign,        // + - : binary or prefix, by where it stands
  product,     // * / %
  power,       // ^
  comparison,  // == != < <= > >=
  both,        // and &&
  either,      // or ||
  end
};

struct token {
  token_kind kind = token_kind::end;
  std::string written;                             ///< for messages, and to tell signs of one kind apart
  std::size_t position = 0;                        ///< from 0
  double number = 0;                               ///< of a number or a text constant
  std::optional<std::size_t> slot = std::nullopt;  ///< of a parameter
};

/// The words of the language, which no parameter is named like.
[[nodiscard]] std::span<const std::string_view> language_words() noexcept;

/// The tokens of `source`, the last one the end. @throws input_error as expression
[[nodiscard]] std::vector<token> tokens_of(const condition& source, const symbol_table& symbols);

/// @throws input_error "FILE:LINE: in 'TEXT' at N: MESSAGE", always
[[noreturn]] void fail_at(const condition& source, std::size_t position, const std::string& message);

}  // namespace mlmq::tuner
