// SPDX-License-Identifier: Apache-2.0
// Files named by --output. What they must not overwrite is checked before a command starts: cli/file_roles.hpp.
#pragma once

#include <filesystem>
#include <string_view>

namespace mlmq::cli {

/// "-"
[[nodiscard]] inline bool is_standard_output(const std::filesystem::path& file) { return file == "-"; }

/// Refuses what can never be written, before any work is done for it.
/// @throws input_error for a folder, and for a file in a folder that does not exist
void check_output(const std::filesystem::path& file);

/// Makes a folder that the user named for several files. @throws input_error when it cannot be made where it is to be,
/// and for "-", which is none
void make_output_folder(const std::filesystem::path& folder);

/// As check_output(), and for what would be replaced rather than written to: a device or a pipe, and "-". @throws
/// input_error
void check_replaceable_output(const std::filesystem::path& file);

/// Writes a whole file or none, compressed if the name ends in ".gz". Devices and pipes, such as /dev/stdout, are
/// written to; "-" is standard output. @throws input_error as check_output(), work_error when it cannot be written
void write_output(const std::filesystem::path& file, std::string_view content);

}  // namespace mlmq::cli
