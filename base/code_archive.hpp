// SPDX-License-Identifier: Apache-2.0
// Compiled code for many keys in one compressed file, which is shipped with the program and never modified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/descriptor.hpp"

namespace mlmq {

/// An archive of compiled code. The constructor reads the index; find() reads the code. Thread-safe.
///
/// The file starts with lines of text: "mlmq code archive 1", "by COMPILER", "for TARGET", "kernels N", and N lines
/// with a key and three decimal numbers: the offset of the code from the end of the text, its packed size and its
/// unpacked size in bytes. The last line is "end HASH" with the hash of all preceding text. Then follows the code of
/// each key, sealed (seal_code()) and packed by zlib.
class code_archive {
 public:
  /// @throws input_error naming the file and the defect of its index
  explicit code_archive(const std::filesystem::path& file);

  /// Returns the compiler of the code, for messages and comparisons. made_for() returns the target.
  [[nodiscard]] const std::string& compiler() const noexcept { return made_by_; }
  [[nodiscard]] const std::string& target() const noexcept { return made_for_; }
  [[nodiscard]] std::size_t size() const noexcept { return index_.size(); }
  /// Returns the size of the file.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Returns the code for `key`; empty if there is none or it is damaged.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;

  /// Returns the number of keys whose code is damaged. Reads the whole file.
  [[nodiscard]] std::size_t count_damaged() const;

  /// Writes an archive, which is either complete or absent. @param code code by key; keys must not contain blanks
  /// @throws work_error naming the file
  static void write(const std::filesystem::path& file, const std::string& compiler, const std::string& target,
                    const std::map<std::string, std::string>& code);

 private:
  struct place {
    std::uint64_t begin = 0;  ///< offset in the file
    std::uint64_t packed = 0;
    std::uint64_t unpacked = 0;
  };

  descriptor file_;
  std::string made_by_;
  std::string made_for_;
  std::map<std::string, place> index_;
  std::uint64_t bytes_ = 0;
};

}  // namespace mlmq
