// SPDX-License-Identifier: Apache-2.0
// A reserved range of addresses, filled by the system with zero pages when they are touched.
#pragma once

#include <cstddef>
#include <utility>

namespace mlmq::backends::simulator {

class memory_map {
 public:
  memory_map() = default;
  /// @param accessible readable and writable at once; else allow() makes parts so. @throws work_error
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

  /// Both limits are multiples of the page size. @return false when the system has no memory
  [[nodiscard]] bool allow(std::size_t offset, std::size_t bytes) const;
  /// Returns the pages to the system; touching them is an error again.
  void forbid(std::size_t offset, std::size_t bytes) const noexcept;

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mlmq::backends::simulator
