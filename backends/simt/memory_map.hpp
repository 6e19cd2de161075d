// SPDX-License-Identifier: Apache-2.0
// A reserved address range, which the system fills with zero pages on first access.
#pragma once

#include <cstddef>
#include <utility>

namespace mlmq::backends::simulator {

class memory_map {
 public:
  memory_map() = default;
  /// Reserves a range.
  /// @param accessible  whether the range is readable and writable immediately; otherwise allow() makes parts of it so
  /// @throws work_error
  memory_map(std::size_t bytes, bool accessible);
  memory_map(memory_map&& other) noexcept { *this = std::move(other); }
  memory_map& operator=(memory_map&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~memory_map();

  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Makes a part readable and writable. Both limits must be multiples of the page size. Returns false if the system is
  /// out of memory.
  [[nodiscard]] bool allow(std::size_t offset, std::size_t bytes) const;
  /// Returns the pages to the system. Later accesses to them are errors.
  void forbid(std::size_t offset, std::size_t bytes) const noexcept;

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mlmq::backends::simulator
