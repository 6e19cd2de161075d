// SPDX-License-Identifier: Apache-2.0
// Writes a large file in pieces. The file is either complete or absent.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/pending_file.hpp"

namespace mlmq {

/// Writes to a temporary file in the folder of `file`, compressed if the name ends in ".gz", and
/// renames it in commit(). Without commit(), the temporary file is removed. The target of a symbolic link is
/// replaced, not the link. A device or a pipe is written in place: renaming would replace it.
class file_writer {
 public:
  /// Creates missing parent folders. @param level compression level, 1 (fast) … 9 (small)
  /// @throws work_error naming the file
  explicit file_writer(const std::filesystem::path& file, int level = 3);
  ~file_writer();
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;

  /// @throws work_error naming the file
  void write(std::string_view bytes);
  /// @throws work_error naming the file
  void commit();

 private:
  pending_file pending_;
  void* stream_ = nullptr;
};

}  // namespace mlmq
