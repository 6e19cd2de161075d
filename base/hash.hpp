// SPDX-License-Identifier: Apache-2.0
// Content hashes, which identify graphs, configurations, kernel variants and devices. They are equal on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mlmq {

/// Computes a 128-bit XXH3 hash incrementally. Fields are length-prefixed, so ("ab","c") and ("a","bc") differ.
class content_hash {
 public:
  content_hash();
  ~content_hash();
  content_hash(const content_hash&) = delete;
  content_hash& operator=(const content_hash&) = delete;

  content_hash& add(std::string_view text);
  content_hash& add(std::span<const std::byte> bytes);
  /// Like add(read_file(file)), but reads the file in pieces. @throws input_error naming the file
  content_hash& add_file(const std::filesystem::path& file);

  /// Returns the hash as 32 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;

 private:
  void add_length(std::uint64_t bytes);

  struct state;
  std::unique_ptr<state> state_;
};

/// Returns the content_hash of one text.
[[nodiscard]] std::string hash_text(std::string_view text);

}  // namespace mlmq
