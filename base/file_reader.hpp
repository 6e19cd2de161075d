// SPDX-License-Identifier: Apache-2.0
// Reads parts of a regular file, whose size is known before anything is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/descriptor.hpp"

namespace mlmq {

class file_reader {
 public:
  /// Opens the file, without waiting for another process if it is a pipe.
  /// @throws input_error naming the file, if it cannot be opened or is not a regular file
  explicit file_reader(const std::filesystem::path& file);

  /// Returns the size of the file when it was opened.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Reads the bytes at `position`. Returns their number, which is less than the size of `buffer` only at the end of
  /// the file. @throws input_error naming the file
  [[nodiscard]] std::size_t read(std::uint64_t position, std::span<char> buffer) const;
  /// Like read(), but the end of the file is an error: it has become shorter.
  void read_whole(std::uint64_t position, std::span<char> buffer) const;

 private:
  std::filesystem::path file_;
  descriptor opened_;
  std::uint64_t bytes_ = 0;
};

}  // namespace mlmq
