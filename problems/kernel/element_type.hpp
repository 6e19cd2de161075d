// SPDX-License-Identifier: Apache-2.0
// Numbers in arrays and scalars of kernels: conversions from and to double.
#pragma once

#include <cstddef>

#include "tuner/element_type.hpp"
#include "tuner/exact_number.hpp"

namespace mlmq::kernel {

using tuner::element_type;
using tuner::find_type;
using tuner::number_kind;
using tuner::type_names;

/// Reads the number at `position` of an array of `type`.
[[nodiscard]] double read_number(const element_type& type, const std::byte* numbers, std::size_t position);

/// Returns the number at `position` as a text from which it can be read again.
[[nodiscard]] std::string number_text(const element_type& type, const std::byte* numbers, std::size_t position);

/// Stores a number, rounded to the type's precision. Returns false if the type cannot hold it: a fraction or a number
/// beyond the range of an integer or a bool, or a finite number beyond the range of a real type.
[[nodiscard]] bool store_number(const element_type& type, std::byte* numbers, std::size_t position,
                                const tuner::exact_number& value);

/// Stores a number. Integers are rounded towards zero, and beyond the range of their type they wrap around.
void write_number(const element_type& type, std::byte* numbers, std::size_t position, double value);

}  // namespace mlmq::kernel
