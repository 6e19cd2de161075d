// SPDX-License-Identifier: Apache-2.0
// Contents of arrays in host memory: filled by rule or from files, and compared.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/kernel/bindings.hpp"
#include "problems/kernel/definition.hpp"
#include "problems/kernel/element_type.hpp"

namespace mlmq::kernel {

/// Returns the contents of an array of `count` elements before the first run. The same definition and count give the
/// same contents on every machine.
/// @throws input_error  naming the file if it cannot be read or has another type or length; at the array's place if the
///   type cannot hold the numbers
[[nodiscard]] std::vector<std::byte> initial_contents(const array_definition& array, const element_type& type,
                                                      std::size_t count, const std::filesystem::path& folder);

/// Checks the files with the contents of arrays and scalars and with expected results, as far as their types and sizes
/// depend on the sizes of a workload only. Reads no more than headers.
/// @throws input_error naming the file, if it cannot be read or has another type or length
void check_files(const definition& kernel, std::span<const std::pair<std::string, tuner::value>> sizes);

/// Returns the bytes of an argument that is passed by value.
/// @param folder  of its file
/// @throws input_error at its place for an invalid expression or file
/// @throws backends::launch_error for a number that its type cannot hold
[[nodiscard]] std::vector<std::byte> contents_of(const scalar_definition& scalar, const bindings& values,
                                                 const std::filesystem::path& folder);

/// Compares results with the expected numbers. Returns "", or the number of wrong elements with the first of them.
[[nodiscard]] std::string compare(const std::string& name, const element_type& type,
                                  const std::vector<std::byte>& results, const std::vector<std::byte>& expected,
                                  const tolerance& allowed);

}  // namespace mlmq::kernel
