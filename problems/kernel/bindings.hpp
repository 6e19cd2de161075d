// SPDX-License-Identifier: Apache-2.0
// Values of parameters and sizes for the expressions and texts of a kernel's definition.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "problems/kernel/definition.hpp"
#include "problems/kernel/element_type.hpp"
#include "tuner/expression.hpp"
#include "tuner/parameter_values.hpp"
#include "tuner/value.hpp"

namespace mlmq::kernel {

/// Named values: sizes of a workload, and parameters of a configuration.
class bindings {
 public:
  /// @param texts  further texts that expressions may compare with, such as other values of a parameter
  explicit bindings(std::vector<std::pair<std::string, tuner::value>> values, std::span<const std::string> texts = {});

  /// @throws input_error at its place for an invalid expression
  void check_expression(const placed_text& text) const;
  /// Evaluates an expression. @throws input_error at its place for an invalid expression
  /// @throws backends::launch_error  for a result that is not finite, because other parameters may give a valid number
  [[nodiscard]] tuner::exact_number number(const placed_text& text) const;
  /// Like number(), but the result must be a whole number from `least` to `most`.
  /// @throws backends::launch_error  naming the expression, because other parameters may give a valid number
  [[nodiscard]] std::uint64_t whole_number(const placed_text& text, std::uint64_t least, std::uint64_t most) const;
  /// Evaluates one to three sizes.
  [[nodiscard]] backends::extent extent(std::span<const placed_text> sizes) const;
  /// Returns the text with all names replaced by their values, for names of files and types.
  [[nodiscard]] std::string substituted(const std::string& text) const { return replaced(text, tuner::to_text); }
  /// Like substituted(), for macros and names of functions: a real is one in the source, too (tuner::text_in_code).
  [[nodiscard]] std::string substituted_in_code(const std::string& text) const {
    return replaced(text, tuner::text_in_code);
  }
  /// Returns an expression in C++, in which a name has the ending "_" (tuner::expression::to_cpp).
  [[nodiscard]] std::string to_cpp(const placed_text& text) const;
  /// Returns the type that a text names, after substitution. @throws input_error at its place
  [[nodiscard]] const element_type& type(const placed_text& text) const;

 private:
  [[nodiscard]] std::string replaced(const std::string& text, std::string (*text_of)(const tuner::value&)) const;

  std::vector<std::pair<std::string, tuner::value>> values_;
  tuner::symbol_table symbols_;
  std::vector<tuner::exact_number> slots_;
};

}  // namespace mlmq::kernel
