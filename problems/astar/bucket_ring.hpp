// SPDX-License-Identifier: Apache-2.0
// An open list for searches with a consistent estimate: what is open spans at most 2·diagonal_step in f, so a ring of
// buckets holds it all. A bucket is a stack.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "astar/astar_abi.cuh"

namespace mlmq::astar {

/// @tparam Item what is kept
/// @tparam Reach most by which an f that is added exceeds that of the bucket in turn, in units
template <class Item, std::uint32_t Reach>
class bucket_ring {
 public:
  static constexpr unsigned bucket_bits = 13;
  static constexpr std::uint32_t buckets = std::bit_ceil((Reach >> bucket_bits) + 2);

  /// Empties it. @param least no smaller f will come
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
  /// One of the lowest bucket; there is one.
  Item take() {
    while (items_[present_ % buckets].empty()) ++present_;
    auto& bucket = items_[present_ % buckets];
    const Item last = bucket.back();
    bucket.pop_back();
    --size_;
    return last;
  }
  /// Whether what was taken last was added for this f.
  [[nodiscard]] bool is_current(std::uint32_t f) const noexcept { return f >> bucket_bits == present_; }
  /// Everything in the list has at least this f.
  [[nodiscard]] std::uint32_t bound() const noexcept { return present_ << bucket_bits; }

 private:
  std::array<std::vector<Item>, buckets> items_;
  std::uint64_t size_ = 0;
  std::uint32_t present_ = 0;
};

}  // namespace mlmq::astar
