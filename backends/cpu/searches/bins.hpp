// SPDX-License-Identifier: Apache-2.0
// Bins of one thread in Δ-stepping: unbounded bucket numbers in bounded memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/cpu/searches/entry_buffer.hpp"

namespace mlmq::cpu {

/// Buckets base() … base()+window-1 have one bin each. Entries of later buckets wait unsorted until the base reaches
/// them.
class bins {
 public:
  static constexpr std::uint64_t window = 1024;
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  void clear() noexcept;

  /// @param bucket at least the base
  void push(std::uint64_t bucket, entry e) {
    if (bucket - base_ < window) [[likely]] {
      const std::uint64_t place = bucket % window;
      filled_[place / 64] |= std::uint64_t{1} << place % 64;
      bins_[place].push(e);
    } else {
      later_.push({bucket, e});
    }
  }

  /// Returns the lowest bucket with entries, or none.
  [[nodiscard]] std::uint64_t lowest() const noexcept;

  /// Returns the number of entries of a bucket in the window.
  [[nodiscard]] std::size_t size(std::uint64_t bucket) const noexcept { return bins_[bucket % window].size(); }

  /// Swaps the content of a bucket with `with`. Does nothing for a bucket beyond the window.
  void exchange(std::uint64_t bucket, entry_buffer<entry>& with) noexcept;

  /// Raises the base. No entry may be, or be pushed, below it.
  void advance(std::uint64_t base);

  /// Calls visit(bucket, entry) for every entry, and removes them all.
  template <class Visit>
  void take_all(Visit&& visit) {
    for (std::uint64_t word = 0; word < filled_.size(); ++word) {
      for (std::uint64_t bits = std::exchange(filled_[word], 0); bits != 0; bits &= bits - 1) {
        const std::uint64_t place = word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
        const std::uint64_t bucket = base_ + (place - base_) % window;
        for (std::size_t i = 0; i < bins_[place].size(); ++i) visit(bucket, bins_[place][i]);
        bins_[place].clear();
      }
    }
    for (const waiting& later : later_.take()) visit(later.bucket, later.element);
  }

 private:
  /// Entries beyond the window, with their buckets.
  struct waiting {
    std::uint64_t bucket;
    entry element;
  };
  class waiting_list {
   public:
    void push(waiting item) {
      lowest_ = std::min(lowest_, item.bucket);
      items_.push_back(item);
    }
    [[nodiscard]] std::uint64_t lowest() const noexcept { return lowest_; }
    void clear() noexcept {
      items_.clear();
      lowest_ = none;
    }
    std::vector<waiting> take() noexcept {
      lowest_ = none;
      return std::exchange(items_, {});
    }

   private:
    std::vector<waiting> items_;
    std::uint64_t lowest_ = none;
  };

  std::uint64_t base_ = 0;
  std::array<std::uint64_t, window / 64> filled_{};  // bit: the bin may hold entries
  std::array<entry_buffer<entry>, window> bins_;
  waiting_list later_;
};

}  // namespace mlmq::cpu
