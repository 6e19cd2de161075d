// SPDX-License-Identifier: Apache-2.0
// NumPy array files (numpy.load), format version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace mlmq::cli {

/// Returns the header of a matrix in row-major order. @param type NumPy type, "<u4", "<f4" or "<f8"
[[nodiscard]] std::string npy_header(const std::string& type, std::size_t rows, std::size_t columns);

/// Returns the header of a one-dimensional array. @param type NumPy type, "<f8"
[[nodiscard]] std::string npy_header(const std::string& type, std::size_t length);

/// The NumPy type of a number.
template <typename Number>
inline constexpr const char* npy_type = "";
template <>
inline constexpr const char* npy_type<std::uint32_t> = "<u4";
template <>
inline constexpr const char* npy_type<float> = "<f4";
template <>
inline constexpr const char* npy_type<double> = "<f8";

/// Returns a file with a one-dimensional array.
template <typename Number>
[[nodiscard]] std::string npy_array(std::span<const Number> numbers) {
  return npy_header(npy_type<Number>, numbers.size())
      .append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

/// Returns whether a file begins with this header and has the length that the header implies.
[[nodiscard]] bool is_npy(const std::filesystem::path& file, const std::string& header, std::size_t number_bytes);

}  // namespace mlmq::cli
