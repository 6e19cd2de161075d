// SPDX-License-Identifier: Apache-2.0
// ZIP archives of a few large files, as zip_archive and NumPy read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/file_writer.hpp"

namespace mlmq {

/// Writes files one after the other, as they are: arrays are compressed hardly and slowly. Sizes are of 8 bytes
/// throughout. The archive is either whole or absent: see file_writer.
class zip_writer {
 public:
  /// @throws work_error naming the file
  explicit zip_writer(const std::filesystem::path& file) : out_(file) {}

  /// Adds a file of two parts, a header and what follows it. @param name of ASCII, not used before
  /// @throws work_error naming the archive
  void add(const std::string& name, std::string_view header, std::span<const std::byte> content);
  /// Ends the archive, which then has its name. @throws work_error naming it
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
