// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "base/files.hpp"
#include "cli/print_text.hpp"

namespace mlmq::cli {

void check_output(const std::filesystem::path& file) {
  if (is_standard_output(file)) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw input_error(file.string() + ": is a folder; specify a file in it");
  }
  const std::filesystem::path folder = file.parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  const bool is_file = std::filesystem::exists(folder, ignored);
  throw input_error(fmt::format("{}: cannot be written: {} {}", file.string(), folder.string(),
                                is_file ? "is not a folder" : "does not exist; create the folder first"));
}

void make_output_folder(const std::filesystem::path& folder) {
  if (is_standard_output(folder))
    throw input_error("-: several files cannot be written to standard output; specify a folder");
  std::error_code failure;
  std::filesystem::create_directory(folder, failure);
  if (!failure) return;
  throw input_error(fmt::format("{}: cannot create the folder: {}", folder.string(), failure.message()));
}

void check_replaceable_output(const std::filesystem::path& file) {
  if (is_standard_output(file)) throw input_error("-: standard output is not supported; specify a regular file");
  check_output(file);
  if (is_written_in_place(file)) {
    throw input_error(file.string() + ": is a device or a pipe; specify a regular file");
  }
}

void write_output(const std::filesystem::path& file, std::string_view content) {
  if (is_standard_output(file)) {
    print_data(content);
    return;
  }
  check_output(file);
  std::fflush(stdout);  // the file may be standard output by another name
  file_writer out(file);
  out.write(content);
  out.commit();
}

}  // namespace mlmq::cli
