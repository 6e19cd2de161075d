// SPDX-License-Identifier: Apache-2.0
// Records which bytes of the simulated memory have been written: four flags per word, in pages that are allocated on
// demand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simt/paged_table.hpp"

namespace mlmq::backends::simulator {

class written_map {
 public:
  explicit written_map(std::size_t address_bytes);

  /// Returns whether all of these bytes have been written. At most 16 bytes, which must not cross a word boundary
  /// unless they are whole words.
  [[nodiscard]] bool is_written(std::uint64_t offset, std::uint32_t bytes) {
    if (const std::uint32_t first = bytes_to_page_end(offset); bytes > first) [[unlikely]] {
      return is_written(offset, first) && is_written(offset + first, bytes - first);
    }
    const page* const p = table_.page(offset);
    if (p == nullptr) return false;
    if (p == &full_) return true;
    return holds(*p, offset, bytes);
  }
  void mark(std::uint64_t offset, std::uint32_t bytes) {
    if (const std::uint32_t first = bytes_to_page_end(offset); bytes > first) [[unlikely]] {
      mark(offset, first);
      mark(offset + first, bytes - first);
      return;
    }
    page*& p = table_.page(offset);
    if (p == &full_) return;
    if (p == nullptr) p = take();
    set(*p, offset, bytes);
  }
  /// Like mark(), but for any range.
  void mark_range(std::uint64_t offset, std::size_t bytes);
  void clear_range(std::uint64_t offset, std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t page_bytes = 4096;
  struct page {
    std::array<std::uint8_t, page_bytes / 4> words{};
  };

  static std::uint32_t bytes_to_page_end(std::uint64_t offset) {
    return static_cast<std::uint32_t>(page_bytes - offset % page_bytes);
  }
  static std::uint8_t flags_in_word(std::uint64_t offset, std::uint32_t bytes) {
    return static_cast<std::uint8_t>(((1u << bytes) - 1u) << (offset & 3));
  }
  static bool holds(const page& p, std::uint64_t offset, std::uint32_t bytes) {
    const std::size_t word = offset % page_bytes / 4;
    if (bytes < 4) {
      const std::uint8_t flags = flags_in_word(offset, bytes);
      return (p.words[word] & flags) == flags;
    }
    bool is_written = true;
    for (std::uint32_t i = 0; i < bytes / 4; ++i) is_written = is_written && p.words[word + i] == 15;
    return is_written;
  }
  static void set(page& p, std::uint64_t offset, std::uint32_t bytes) {
    const std::size_t word = offset % page_bytes / 4;
    if (bytes < 4) {
      p.words[word] = static_cast<std::uint8_t>(p.words[word] | flags_in_word(offset, bytes));
      return;
    }
    for (std::uint32_t i = 0; i < bytes / 4; ++i) p.words[word + i] = 15;
  }
  [[nodiscard]] page* take();

  paged_table<page, page_bytes> table_;
  page full_;  // represents every page that is completely written
  std::vector<std::unique_ptr<page>> owned_;
  std::vector<page*> spare_;
};

}  // namespace mlmq::backends::simulator
