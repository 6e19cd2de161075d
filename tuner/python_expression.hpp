// SPDX-License-Identifier: Apache-2.0
// Reads the Python expressions of Kernel Tuner's files.
#pragma once

#include <string>
#include <vector>

#include "tuner/expression.hpp"
#include "tuner/value.hpp"

namespace mlmq::tuner {

/// Translates a Python condition to the language of `restrictions`: chained comparisons, `**`, `in` and `not in` with a
/// list of values, True and False. Names are not checked.
/// @throws input_error "FILE: in 'TEXT' at N: …" for a syntax error and for operators that the language lacks
[[nodiscard]] condition translate_condition(const condition& python);

/// Evaluates a Python list of numbers, booleans or texts: a display ([1, 2]), a comprehension ([2**i for i in
/// range(6)]), range(…), list(…), and sums of them.
/// @throws input_error like translate_condition(), for an unknown name, and for more than a million values
[[nodiscard]] std::vector<value> evaluate_list(const condition& python);

}  // namespace mlmq::tuner
