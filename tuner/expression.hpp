// SPDX-License-Identifier: Apache-2.0
// Conditions over parameters: the language of `when` and `restrictions`.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/exact_number.hpp"
#include "tuner/source_place.hpp"
#include "tuner/value.hpp"

namespace mlmq::tuner {

/// A condition as written, with its location.
struct condition {
  std::string text;  ///< empty: always true
  source_place place;
};

/// Symbols of an expression: parameters, each with a slot for its numeric value, and texts that are values of some
/// parameter.
class symbol_table {
 public:
  /// Slots are numbered from 0 in the order of these calls.
  void add_parameter(std::string name, value_type type);
  /// Adds a text that a bare word may stand for. Adding it again has no effect.
  void add_text(const std::string& text);

  [[nodiscard]] std::size_t parameter_count() const noexcept { return types_.size(); }
  [[nodiscard]] std::optional<std::size_t> slot(std::string_view name) const;
  [[nodiscard]] value_type type(std::size_t slot) const { return types_[slot]; }
  [[nodiscard]] std::optional<double> text_number(std::string_view text) const;

  /// Returns the numeric representation of a value. Texts must have been added; booleans are 0 and 1.
  /// @throws work_error for an unknown text
  [[nodiscard]] exact_number number(const value& v) const;

  /// Returns all words of the language: parameters, texts, functions and operators.
  [[nodiscard]] std::vector<std::string> words() const;

 private:
  std::map<std::string, std::size_t, std::less<>> slots_;
  std::vector<value_type> types_;
  std::map<std::string, double, std::less<>> texts_;
};

/// Returns whether `word` is a valid parameter name: a letter or underscore followed by letters, digits and
/// underscores, and not a reserved word (and, or, not, true, false, or the name of a function).
[[nodiscard]] bool is_parameter_name(std::string_view word) noexcept;

/// A compiled condition.
///
/// Operators from weakest to strongest: `or ||`, `and &&`, `not`, `== != < <= > >=`, `+ -`, `* / // %` (`//` rounds the
/// quotient down), the signs and `!`, `^` (power). Functions: min, max, abs, ceil, floor, power_of_two. Values: decimal
/// numbers, true, false, parameters, texts (a bare word that is a value of some parameter, or quoted). Texts can only
/// be compared, by == and !=. The result holds if it is not 0.
///
/// Movable, not copyable. One object must not be evaluated by two threads at once.
class expression {
 public:
  /// @throws input_error "FILE:LINE: in 'TEXT' at N: …"
  expression(const condition& source, const symbol_table& symbols);
  ~expression();
  expression(expression&&) noexcept;
  expression& operator=(expression&&) noexcept;

  /// Returns the slots of the mentioned parameters, in ascending order.
  [[nodiscard]] std::span<const std::size_t> mentions() const noexcept { return mentions_; }

  /// Evaluates the condition. @param slots one number per parameter of the symbol table
  /// @throws input_error like evaluate()
  [[nodiscard]] bool holds(std::span<const exact_number> slots) const;
  /// Evaluates the expression as a number; NaN for 0/0 and the like. Whole numbers are exact as far as exact_number is.
  /// @param slots like those of holds()
  /// @throws input_error "FILE:LINE: 'TEXT': …" where a number beyond that could give a wrong result
  [[nodiscard]] exact_number evaluate(std::span<const exact_number> slots) const;

  /// Returns the expression in C++, with the same result for numbers of type double, as long as they are below 2^53,
  /// and texts of type std::string_view. It needs <algorithm>, <cmath> and <string_view>.
  /// @param names  a C++ expression for each parameter of the symbol table
  [[nodiscard]] std::string to_cpp(std::span<const std::string> names) const;

  [[nodiscard]] const condition& source() const noexcept { return source_; }

 private:
  struct compiled;
  /// Evaluates with doubles. Returns nothing if a number reaches 2^53, or if the formula is nested too deeply.
  [[nodiscard]] std::optional<double> evaluate_small(std::span<const exact_number> slots) const;

  condition source_;
  std::vector<std::size_t> mentions_;
  std::unique_ptr<compiled> compiled_;
};

}  // namespace mlmq::tuner
