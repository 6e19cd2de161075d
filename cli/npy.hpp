// SPDX-License-Identifier: Apache-2.0
// Arrays as NumPy reads them (numpy.load), format version 1.0.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace mlmq::cli {

/// What stands before the numbers, row by row, of a matrix. @param type NumPy's name, "<u4", "<f4" or "<f8"
[[nodiscard]] std::string npy_header(const std::string& type, std::size_t rows, std::size_t columns);

/// What stands before the numbers of an array of one dimension. @param type NumPy's name, "<f8"
[[nodiscard]] std::string npy_header(const std::string& type, std::size_t length);

/// Whether a file begins with this header and is as long as it says.
[[nodiscard]] bool is_npy(const std::filesystem::path& file, const std::string& header, std::size_t number_bytes);

}  // namespace mlmq::cli
