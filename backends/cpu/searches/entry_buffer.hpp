// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "backends/cpu/searches/layout.hpp"

namespace mlmq::cpu {

/// A growing array of entries that keeps its memory when it is cleared. It does not initialise memory, so that pages
/// are local to the thread that pushes first.
/// @tparam Entry entry or wide_entry
template <class Entry>
class entry_buffer {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Entry* data() const noexcept { return data_.get(); }
  [[nodiscard]] Entry operator[](std::size_t i) const noexcept { return data_[i]; }

  void push(Entry e) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    data_[size_++] = e;
  }
  void clear() noexcept { size_ = 0; }

  friend void swap(entry_buffer& a, entry_buffer& b) noexcept {
    std::swap(a.data_, b.data_);
    std::swap(a.size_, b.size_);
    std::swap(a.capacity_, b.capacity_);
  }

 private:
  static_assert(std::is_trivial_v<Entry>);

  void grow() {
    const std::size_t larger = std::max<std::size_t>(64, 2 * capacity_);
    std::unique_ptr<Entry[]> moved(new Entry[larger]);
    if (size_ > 0) std::memcpy(moved.get(), data_.get(), size_ * sizeof(Entry));
    data_ = std::move(moved);
    capacity_ = larger;
  }

  std::unique_ptr<Entry[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace mlmq::cpu
