// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, plain or compressed with gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace mlmq {

/// Reads an ordinary file front to back, decompressing it if its content is gzip: one member or several, and nothing
/// else behind them.
class byte_source {
 public:
  /// @throws input_error naming the file when it cannot be opened, is no ordinary file, or is named .gz and is not gzip
  explicit byte_source(const std::filesystem::path& file);
  ~byte_source();
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;

  /// Fills `buffer` as far as the file goes. Less than its size: the end, or the place of
  /// failure(). @throws stopped_error
  std::size_t read(std::span<char> buffer);

  /// Describes the defect of the data after the last byte that read() returned, or "" at the end of
  /// the file.
  [[nodiscard]] const std::string& failure() const noexcept;

 private:
  struct stream;
  std::unique_ptr<stream> stream_;
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
