// SPDX-License-Identifier: Apache-2.0
// Types of CUDA C++ that consist of numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mlmq::tuner {

enum class number_kind { signed_integer, unsigned_integer, real, brain_float };

/// A type of CUDA C++ whose values are one or more numbers, such as float or float4.
struct element_type {
  std::string name;  ///< "float", "float4"
  number_kind kind = number_kind::real;
  std::size_t bytes = 0;    ///< of one number
  std::size_t numbers = 1;  ///< per element
  std::string npy;          ///< type of one number in .npy files: "<f4"; "" for structures, which have any

  [[nodiscard]] std::size_t element_bytes() const { return bytes * numbers; }
  [[nodiscard]] bool is_real() const { return kind == number_kind::real || kind == number_kind::brain_float; }
  [[nodiscard]] bool is_structure() const { return npy.empty(); }
};

/// Returns the type of a name, or null. Synonyms such as "std::uint32_t" have the type of the first name, "uint".
/// "bytes(24)" is a structure of 24 bytes: its numbers are the bytes.
[[nodiscard]] const element_type* find_type(const std::string& name);

/// Returns the names of all types.
[[nodiscard]] std::vector<std::string> type_names();

}  // namespace mlmq::tuner
