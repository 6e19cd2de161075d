// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "base/files.hpp"

namespace mlmq::cli {

void check_output(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw input_error(file.string() + ": is a folder; name a file in it");
  }
}

void check_replaceable_output(const std::filesystem::path& file) {
  check_output(file);
  if (is_written_in_place(file)) {
    throw input_error(file.string() + ": is a device or a pipe; name an ordinary file");
  }
}

void write_output(const std::filesystem::path& file, std::string_view content) {
  check_output(file);
  std::fflush(stdout);  // the file may be standard output by another name
  file_writer out(file);
  out.write(content);
  out.commit();
}

}  // namespace mlmq::cli
