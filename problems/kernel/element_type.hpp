// SPDX-License-Identifier: Apache-2.0
// Types of numbers in arrays and scalars of kernels, and conversions from and to double.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mlmq::kernel {

enum class number_kind { signed_integer, unsigned_integer, real };

/// A type of CUDA C++ whose values are one or more numbers, such as float or float4.
struct element_type {
  std::string name;  ///< "float", "float4"
  number_kind kind = number_kind::real;
  std::size_t bytes = 0;    ///< of one number
  std::size_t numbers = 1;  ///< per element
  std::string npy;          ///< type of one number in .npy files: "<f4"; "" for structures, which have any

  [[nodiscard]] std::size_t element_bytes() const { return bytes * numbers; }
};

/// Returns the type of a name, or null. "bytes(24)" is a structure of 24 bytes: its numbers are the bytes.
[[nodiscard]] const element_type* find_type(const std::string& name);

/// Returns the names of all types.
[[nodiscard]] std::vector<std::string> type_names();

/// Reads the number at `position` of an array of `type`.
[[nodiscard]] double read_number(const element_type& type, const std::byte* numbers, std::size_t position);

/// Stores a number. Integers are rounded towards zero, and beyond the range of their type they wrap around.
void write_number(const element_type& type, std::byte* numbers, std::size_t position, double value);

}  // namespace mlmq::kernel
