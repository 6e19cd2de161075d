// SPDX-License-Identifier: Apache-2.0
// Files named by --output, and standard streams that the caller has closed. cli/file_roles.hpp checks that they do not
// overwrite inputs.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace mlmq::cli {

/// Opens /dev/null for closed standard streams; otherwise the next opened file would take their descriptor and receive
/// the output. Writing to standard output is an error then.
void hold_closed_streams();

/// Flushes standard output. @return why output could not be written, or ""
/// @param earlier errno of an earlier failed write, if known; the stream does not keep it
[[nodiscard]] std::string output_failure(int earlier = 0);

/// Returns whether the file is "-", which means standard output.
[[nodiscard]] inline bool is_standard_output(const std::filesystem::path& file) { return file == "-"; }

/// Content of an output, as the ending of its name states in every command.
enum class output_kind {
  text,    ///< .txt, also .txt.gz
  csv,     ///< .csv, also .csv.gz
  json,    ///< .json, also .json.gz
  npy,     ///< .npy: an array of NumPy
  folder,  ///< a slash
  other    ///< endings that belong to one command, such as .html
};

/// Returns the kind of an output. A name without an ending, a device and "-" are the only supported kind, or text, or
/// else `other`.
/// @param option named in errors, such as "--output"
/// @throws input_error if the command does not write the kind that the ending states, with the endings that it writes
[[nodiscard]] output_kind kind_of_output(std::string_view option, const std::filesystem::path& file,
                                         std::initializer_list<output_kind> supported);

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
