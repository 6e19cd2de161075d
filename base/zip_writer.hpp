// SPDX-License-Identifier: Apache-2.0
// Writes ZIP archives of a few large files, in a form that zip_archive and NumPy can read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

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

}  // namespace mlmq
