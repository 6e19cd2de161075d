// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "backends/cpu/searches/entry_buffer.hpp"

namespace mlmq::cpu {

/// A monotone priority queue (Ahuja, Mehlhorn, Orlin, Tarjan): no pushed entry is smaller than the last popped one.
/// With distances written in base 16, the bin of an entry is given by the highest digit in which it differs from the
/// last popped distance, and by the value of that digit. An entry moves down at most once per remaining digit.
/// @tparam Entry  entry or wide_entry
template <class Entry>
class radix_heap {
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

  void push(Entry e) {
    const bits difference = distance_of(e) ^ last_;
    const auto level = static_cast<unsigned>(std::bit_width(difference | 1U) - 1) / digit_bits;
    const auto digit = static_cast<unsigned>(distance_of(e) >> (level * digit_bits) & (digits - 1));
    levels_ |= 1U << level;
    filled_[level] |= 1U << digit;
    bins_[level][digit].push(e);
  }

  /// Returns the entries of the smallest distance. Entries of the same distance that are pushed before clear_lowest()
  /// join them.
  /// @param announce called with entries that will be popped soon
  template <class Announce>
  entry_buffer<Entry>& lowest(Announce&& announce) {
    if ((levels_ & 1U) == 0) spread(announce);
    const auto digit = static_cast<unsigned>(std::countr_zero(filled_[0]));
    entry_buffer<Entry>& bin = bins_[0][digit];
    last_ = distance_of(bin[0]);
    return bin;
  }
  void clear_lowest() noexcept {
    const auto digit = static_cast<unsigned>(std::countr_zero(filled_[0]));
    bins_[0][digit].clear();
    forget(0, digit);
  }

 private:
  using bits = decltype(distance_of(Entry{}));
  static constexpr unsigned digit_bits = 4;
  static constexpr unsigned digits = 1U << digit_bits;
  static constexpr unsigned level_count = 8 * sizeof(bits) / digit_bits;

  /// Divides the lowest bin repeatedly, until a bin holds a single distance.
  template <class Announce>
  void spread(Announce&& announce) {
    do {
      const auto level = static_cast<unsigned>(std::countr_zero(levels_));
      const auto digit = static_cast<unsigned>(std::countr_zero(filled_[level]));
      entry_buffer<Entry>& bin = bins_[level][digit];
      Entry least = bin[0];
      for (std::size_t i = 1; i < bin.size(); ++i) least = std::min(least, bin[i]);
      last_ = distance_of(least);
      forget(level, digit);
      for (std::size_t i = 0; i < bin.size(); ++i) {
        announce(bin[i]);
        push(bin[i]);
      }
      bin.clear();
    } while ((levels_ & 1U) == 0);
  }

  void forget(unsigned level, unsigned digit) noexcept {
    filled_[level] &= ~(1U << digit);
    if (filled_[level] == 0) levels_ &= ~(1U << level);
  }

  std::array<std::array<entry_buffer<Entry>, digits>, level_count> bins_;
  std::array<std::uint32_t, level_count> filled_{};  // bit: the bin of this digit holds entries
  std::uint32_t levels_ = 0;                         // bit: a bin of this level holds entries
  bits last_ = 0;
};

}  // namespace mlmq::cpu
