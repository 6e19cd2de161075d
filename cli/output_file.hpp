// SPDX-License-Identifier: Apache-2.0
// Files named by --output. cli/file_roles.hpp checks that they do not overwrite inputs.
#pragma once

#include <filesystem>
#include <string_view>

namespace mlmq::cli {

/// Returns whether the file is "-", which means standard output.
[[nodiscard]] inline bool is_standard_output(const std::filesystem::path& file) { return file == "-"; }

/// Checks early that a file can be written. @throws input_error for a folder, and for a file in a missing folder
void check_output(const std::filesystem::path& file);

/// Creates a folder for several output files. @throws input_error if it cannot be created, and for "-"
void make_output_folder(const std::filesystem::path& folder);

/// Like check_output(), but also rejects devices, pipes and "-", which cannot be replaced. @throws input_error
void check_replaceable_output(const std::filesystem::path& file);

/// Writes a file completely or not at all, compressed if the name ends in ".gz". Devices and pipes, such as
/// /dev/stdout, are written directly; "-" is standard output. @throws input_error like check_output(); work_error if
/// writing fails
void write_output(const std::filesystem::path& file, std::string_view content);

}  // namespace mlmq::cli
