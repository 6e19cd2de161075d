// SPDX-License-Identifier: Apache-2.0
// An open list for searches with a consistent estimate: the open items span at most 2·diagonal_step in f, so a ring of
// buckets holds all of them. A bucket is a stack.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "astar/astar_abi.cuh"

namespace mlmq::astar {

/// @tparam Item type of the items
/// @tparam Reach maximum difference between an added f and that of the current bucket, in units
template <class Item, std::uint32_t Reach>
class bucket_ring {
 public:
  static constexpr unsigned bucket_bits = 13;
  static constexpr std::uint32_t buckets = std::bit_ceil((Reach >> bucket_bits) + 2);

  /// Empties the list. @param least lower bound for all f that will be added
  void begin(std::uint32_t least) {
    for (auto& bucket : items_) bucket.clear();
    size_ = 0;
    present_ = least >> bucket_bits;
  }
  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
  void add(std::uint32_t f, const Item& item) {
    items_[(f >> bucket_bits) % buckets].push_back(item);
    ++size_;
  }
  /// Removes an item of the lowest bucket. The list must not be empty.
  Item take() {
    while (items_[present_ % buckets].empty()) ++present_;
    auto& bucket = items_[present_ % buckets];
    const Item last = bucket.back();
    bucket.pop_back();
    --size_;
    return last;
  }
  /// Returns whether the item taken last can have been added with this f.
  [[nodiscard]] bool is_current(std::uint32_t f) const noexcept { return f >> bucket_bits == present_; }
  /// Returns a lower bound for f of all items.
  [[nodiscard]] std::uint32_t bound() const noexcept { return present_ << bucket_bits; }

 private:
  std::array<std::vector<Item>, buckets> items_;
  std::uint64_t size_ = 0;
  std::uint32_t present_ = 0;
};

}  // namespace mlmq::astar
