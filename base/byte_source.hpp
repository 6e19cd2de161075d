// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of a file, which may be compressed with gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace mlmq {

/// Reads a regular file from front to back. If its content is gzip (one or several members, without trailing data), the
/// content is decompressed.
class byte_source {
 public:
  /// @throws input_error naming the file, if it cannot be opened, is not a regular file, or its name ends in .gz and
  ///   the content is not gzip
  explicit byte_source(const std::filesystem::path& file);
  ~byte_source();
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;

  /// Fills `buffer` with the next bytes and returns their number. The number is less than the size of `buffer` at the
  /// end of the file, or before the defect that failure() describes. @throws stopped_error
  std::size_t read(std::span<char> buffer);

  /// Describes the defect of the data after the last byte that read() returned, or "" at the end of
  /// the file.
  [[nodiscard]] const std::string& failure() const noexcept;

 private:
  struct stream;
  std::unique_ptr<stream> stream_;
};

/// Bytes in memory that `owner` keeps alive. Aligned to 16.
struct loaded_bytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Loads a whole file: maps it, or decompresses it into memory if it is gzip.
/// @throws input_error naming the file
[[nodiscard]] loaded_bytes load_bytes(const std::filesystem::path& file);

}  // namespace mlmq
