// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files, and locates the program's folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mlmq {

/// Returns why a file of this type cannot be read completely, repeatedly and without blocking: "is a folder", "is a
/// pipe", …; "" for a regular file and for a missing file.
[[nodiscard]] std::string_view irregular_kind(std::filesystem::file_type type);

/// Reads a whole regular file. @throws input_error naming the file, if it cannot be read
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// Returns whether writing to `file` must not replace it. This is the case for a device, a pipe, and another name of an
/// open file (/dev/stdout).
[[nodiscard]] bool is_written_in_place(const std::filesystem::path& file);

/// Writes through a temporary file in the same folder and renames it, so that neither a reader nor a crash ever leaves
/// an incomplete file. Creates missing parent folders. A symbolic link is kept, and its target is replaced. Files for
/// which is_written_in_place() is true are written directly. @throws work_error naming the file
void write_file_atomically(const std::filesystem::path& file, std::string_view content);

/// Returns the folder of the running program.
[[nodiscard]] std::filesystem::path program_folder();

/// Returns the folder of the file that contains this code: the shared library that it is part of, or the running
/// program.
[[nodiscard]] std::filesystem::path module_folder();

}  // namespace mlmq
