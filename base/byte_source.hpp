// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, plain or compressed with gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace mlmq {

/// Reads a file front to back, decompressing it if its content is gzip.
class byte_source {
 public:
  /// @throws input_error naming the file when it cannot be opened, or is named .gz and is not gzip
  explicit byte_source(const std::filesystem::path& file);

  /// Fills `buffer` as far as the file goes. Less than its size: the end, or the place of
  /// failure().
  std::size_t read(std::span<char> buffer);

  /// What is wrong with the data behind the last byte that read() gave, or "" when that is the end
  /// of the file.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  struct closer {
    void operator()(void* stream) const noexcept;
  };
  std::unique_ptr<void, closer> stream_;
  std::string failure_;
};

/// Bytes that `owner` keeps alive, aligned to 16.
struct loaded_bytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// The whole file: mapped, or decompressed into memory if it is gzip.
/// @throws input_error naming the file
[[nodiscard]] loaded_bytes load_bytes(const std::filesystem::path& file);

}  // namespace mlmq
