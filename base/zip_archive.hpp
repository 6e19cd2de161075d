// SPDX-License-Identifier: Apache-2.0
// ZIP archives: reads any, and writes those of a few large files, in a form that NumPy can read, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "base/file_writer.hpp"

namespace mlmq {

/// Writes files one after the other, uncompressed: arrays compress slowly and by little. All sizes have 8 bytes. The
/// archive is either complete or absent, see file_writer.
class zip_writer {
 public:
  /// @throws work_error naming the file
  explicit zip_writer(const std::filesystem::path& file) : out_(file) {}

  /// Adds a file that consists of a header and the content. @param name ASCII, not used before in this archive
  /// @throws work_error naming the archive
  void add(const std::string& name, std::string_view header, std::span<const std::byte> content);
  /// Completes the archive and gives it its name. @throws work_error naming the archive
  void commit();

 private:
  struct entry {
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t checksum = 0;
  };

  void put(std::string_view bytes);

  file_writer out_;
  std::uint64_t position_ = 0;
  std::vector<entry> entries_;
};

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
