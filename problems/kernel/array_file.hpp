// SPDX-License-Identifier: Apache-2.0
// Files with the numbers of arrays: .npy, CSV and raw numbers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "problems/kernel/element_type.hpp"

namespace mlmq::kernel {

/// Checks what the size and, of a .npy file, the header tell about a file for read_array().
/// @throws input_error  naming the file, if it is not a regular file or has another type or length
void check_array(const std::filesystem::path& file, const std::string& array, const element_type& type,
                 std::size_t count);

/// Reads an array of `count` elements from a .npy file (C order), from a CSV file (name ending in .csv), or from a file
/// of raw numbers. If the first line of a CSV file has names, the array is the column named `array`, which may be
/// shorter than others; otherwise it is all numbers of the file, line by line. No more than the array's numbers and a
/// line of a CSV file are in memory.
/// @throws input_error  naming the file, and the line of a CSV file, if it cannot be read or has another type or length
[[nodiscard]] std::vector<std::byte> read_array(const std::filesystem::path& file, const std::string& array,
                                                const element_type& type, std::size_t count);

}  // namespace mlmq::kernel
