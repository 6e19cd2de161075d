// SPDX-License-Identifier: Apache-2.0
// Content hashes: the identity of graphs, configurations, kernel variants and devices, equal on every machine.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mlmq {

/// A running 128-bit XXH3 hash. Fields are length-prefixed, so ("ab","c") and ("a","bc") differ.
class content_hash {
 public:
  content_hash();
  ~content_hash();
  content_hash(const content_hash&) = delete;
  content_hash& operator=(const content_hash&) = delete;

  content_hash& add(std::string_view text);
  content_hash& add(std::span<const std::byte> bytes);

  /// 32 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// content_hash over one text.
[[nodiscard]] std::string hash_text(std::string_view text);

}  // namespace mlmq
