// SPDX-License-Identifier: Apache-2.0
// Reads files in a ZIP archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/byte_source.hpp"

namespace mlmq {

/// A ZIP archive in memory (or mapped). Supports stored and deflated files, and archives larger than 4 GiB.
class zip_archive {
 public:
  /// Reads only the directory. @throws input_error naming the file, if it is not a complete archive
  explicit zip_archive(const std::filesystem::path& file);

  [[nodiscard]] bool contains(const std::string& name) const { return entries_.contains(name); }
  /// Returns the content of one file. @throws input_error naming the archive and the file, if the file is missing,
  /// damaged, encrypted, or compressed by another method
  [[nodiscard]] std::vector<std::byte> read(const std::string& name) const;

 private:
  struct entry {
    std::uint64_t offset = 0;  ///< offset of the file's own header
    std::uint64_t packed = 0;  ///< bytes in the archive
    std::uint64_t size = 0;
    std::uint32_t checksum = 0;
    unsigned method = 0;
    unsigned flags = 0;
  };

  [[noreturn]] void fail(const std::string& message) const;
  /// Returns a part of the archive. @throws input_error if the part is not within the archive
  [[nodiscard]] std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] std::uint64_t number(std::uint64_t offset, unsigned bytes) const;
  void read_directory(std::uint64_t offset, std::uint64_t count);
  void read_large_fields(entry& file, std::uint64_t offset, std::uint64_t size) const;

  std::filesystem::path file_;
  loaded_bytes bytes_;
  std::map<std::string, entry> entries_;
};

}  // namespace mlmq
