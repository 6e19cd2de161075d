// SPDX-License-Identifier: Apache-2.0
// radix_heap for distances of 8 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::cpu {

/// A vertex and its distance when it was pushed.
struct wide_entry {
  graph::wide_distance_bits distance = 0;
  graph::vertex_id vertex = 0;
};

/// A monotone priority queue like radix_heap: nothing is pushed below the last popped distance.
class wide_radix_heap {
 public:
  void clear() noexcept {
    for (auto& level : bins_) {
      for (auto& bin : level) bin.clear();
    }
    filled_.fill(0);
    levels_ = 0;
    last_ = 0;
  }
  [[nodiscard]] bool empty() const noexcept { return levels_ == 0; }

  void push(wide_entry e) {
    const std::uint64_t difference = e.distance ^ last_;
    const auto level = static_cast<unsigned>(std::bit_width(difference | 1U) - 1) / digit_bits;
    const auto digit = static_cast<unsigned>(e.distance >> (level * digit_bits) & (digits - 1));
    levels_ |= 1U << level;
    filled_[level] |= 1U << digit;
    bins_[level][digit].push_back(e);
  }

  /// Returns the entries of the smallest distance. Entries of the same distance that are pushed before clear_lowest()
  /// join them, and the vector may move.
  /// @param announce called with entries that will be popped soon
  template <class Announce>
  std::vector<wide_entry>& lowest(Announce&& announce) {
    while ((levels_ & 1U) == 0) spread(announce);
    std::vector<wide_entry>& bin = bins_[0][static_cast<unsigned>(std::countr_zero(filled_[0]))];
    last_ = bin.front().distance;
    return bin;
  }
  void clear_lowest() noexcept {
    const auto digit = static_cast<unsigned>(std::countr_zero(filled_[0]));
    bins_[0][digit].clear();
    forget(0, digit);
  }

 private:
  static constexpr unsigned digit_bits = 4;
  static constexpr unsigned digits = 1U << digit_bits;
  static constexpr unsigned level_count = 64 / digit_bits;

  /// Divides the lowest bin: its entries move to lower levels.
  template <class Announce>
  void spread(Announce&& announce) {
    const auto level = static_cast<unsigned>(std::countr_zero(levels_));
    const auto digit = static_cast<unsigned>(std::countr_zero(filled_[level]));
    std::vector<wide_entry>& bin = bins_[level][digit];
    last_ = std::min_element(bin.begin(), bin.end(), [](const wide_entry& a, const wide_entry& b) {
              return a.distance < b.distance;
            })->distance;
    forget(level, digit);
    for (const wide_entry& e : bin) {
      announce(e);
      push(e);
    }
    bin.clear();
  }

  void forget(unsigned level, unsigned digit) noexcept {
    filled_[level] &= ~(1U << digit);
    if (filled_[level] == 0) levels_ &= ~(1U << level);
  }

  std::array<std::array<std::vector<wide_entry>, digits>, level_count> bins_;
  std::array<std::uint32_t, level_count> filled_{};  // bit: the bin of this digit holds entries
  std::uint32_t levels_ = 0;                         // bit: a bin of this level holds entries
  graph::wide_distance_bits last_ = 0;
};

}  // namespace mlmq::cpu
