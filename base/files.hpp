// SPDX-License-Identifier: Apache-2.0
// Files that are either whole or absent, and the folder of the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mlmq {

/// Why a file of this type is none that can be read whole, as often as need be, without waiting: "is a folder", "is a
/// pipe", …; "" for an ordinary file and for one that is not there.
[[nodiscard]] std::string_view not_ordinary(std::filesystem::file_type type);

/// The whole file, an ordinary one. @throws input_error naming the file when it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// Whether writing to `file` must not replace it: a device, a pipe, or an open file by another name (/dev/stdout).
[[nodiscard]] bool is_written_in_place(const std::filesystem::path& file);

/// Writes through a temporary file in the same folder and renames it, so that a reader or a crash never sees half a
/// file. Creates missing parent folders. A symbolic link stays, its target is replaced; what is_written_in_place() is
/// written as it is. @throws work_error naming the file.
void write_file_atomically(const std::filesystem::path& file, std::string_view content);

/// The folder that holds the running program.
[[nodiscard]] std::filesystem::path program_folder();

/// The folder that holds the file with this code: the shared library that it is part of, else the running program.
[[nodiscard]] std::filesystem::path module_folder();

}  // namespace mlmq
