// SPDX-License-Identifier: Apache-2.0
// Writes a large file in pieces. The file has a temporary name until it is complete, so that it is complete or absent.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mlmq {

/// The temporary file for an output file, in the same folder. commit() renames it to the output file; otherwise it is
/// removed. A symbolic link is kept, and its target is replaced. Files that are written in place have no temporary
/// file.
class pending_file {
 public:
  /// Creates missing parent folders. @throws work_error naming the file
  explicit pending_file(const std::filesystem::path& file);
  ~pending_file();
  pending_file(const pending_file&) = delete;
  pending_file& operator=(const pending_file&) = delete;

  /// Returns the path to write to.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return temporary_.empty() ? file_ : temporary_; }
  /// Renames the temporary file, which must be closed. @throws work_error naming the file
  void commit();
  /// @throws work_error "FILE: cannot be written: REASON"
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  std::filesystem::path file_;
  std::filesystem::path target_;     ///< `file_`, or its target if it is a symbolic link
  std::filesystem::path temporary_;  ///< empty if the file is written in place, or after the temporary file is gone
};

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
