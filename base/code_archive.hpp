// SPDX-License-Identifier: Apache-2.0
// Compiled code of many keys in one compressed file, which is shipped with the program and never written to later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/descriptor.hpp"

namespace mlmq {

/// The index is read when the file is opened, code when it is asked for. Any number of threads may use it.
///
/// The file is text, a line each: "mlmq code archive 1", "by COMPILER", "for TARGET", "kernels N", and N lines of a key
/// and three decimal numbers: where the code begins behind the last line of text, its bytes there, and its bytes
/// unpacked. Then "end HASH" with the hash of all text before. The code follows, each sealed (seal_code()) and packed
/// by zlib.
class code_archive {
 public:
  /// @throws input_error naming the file and what is wrong with its index
  explicit code_archive(const std::filesystem::path& file);

  /// The compiler and the target of the code, for messages and comparisons.
  [[nodiscard]] const std::string& made_by() const noexcept { return made_by_; }
  [[nodiscard]] const std::string& made_for() const noexcept { return made_for_; }
  [[nodiscard]] std::size_t size() const noexcept { return index_.size(); }
  /// Of the file.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// The code for `key`; nothing when there is none, and when it is damaged.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;

  /// How many keys have code that is damaged. Reads all of it.
  [[nodiscard]] std::size_t count_damaged() const;

  /// Writes a file, whole or not at all. @param code by key: names without blanks
  /// @throws work_error naming the file
  static void write(const std::filesystem::path& file, const std::string& made_by, const std::string& made_for,
                    const std::map<std::string, std::string>& code);

 private:
  struct place {
    std::uint64_t begin = 0;  ///< in the file
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
