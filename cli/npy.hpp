// SPDX-License-Identifier: Apache-2.0
// NumPy array files (numpy.load), format version 1.0.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace mlmq::cli {

/// Returns the header of a matrix in row-major order. @param type NumPy type, "<u4", "<f4" or "<f8"
[[nodiscard]] std::string npy_header(const std::string& type, std::size_t rows, std::size_t columns);

/// Returns the header of a one-dimensional array. @param type NumPy type, "<f8"
[[nodiscard]] std::string npy_header(const std::string& type, std::size_t length);

/// Returns whether a file begins with this header and has the length that the header implies.
[[nodiscard]] bool is_npy(const std::filesystem::path& file, const std::string& header, std::size_t number_bytes);

}  // namespace mlmq::cli
