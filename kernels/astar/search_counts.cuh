// SPDX-License-Identifier: Apache-2.0
// What a warp counts in variants that count; in others all of this is nothing.
#pragma once

#include "astar/configuration.cuh"

namespace path_finding {

class search_counts {
 public:
  /// `amount` is the same in all lanes.
  SIMT_DEVICE void add(astar_count which, u32 amount) {
    if constexpr (counting) words_[static_cast<u32>(which)] += amount;
  }
  /// Adds `more` elements to the size of the open list, removes `fewer`, and keeps the maximum.
  SIMT_DEVICE void open_grows(u32 more, u32 fewer) {
    if constexpr (counting) {
      open_ += more;
      open_ -= fewer;
      u64& largest = words_[static_cast<u32>(astar_count::largest_open)];
      if (open_ > largest) largest = open_;
    }
  }
  SIMT_DEVICE void begin_search() { open_ = 0; }

  /// To the sums of the run; the largest list by one lane of each warp.
  SIMT_DEVICE void store(u64* sums) const {
    if constexpr (counting) {
      if (simt::lane() != 0) return;
      for (u32 i = 0; i < static_cast<u32>(astar_count::words); ++i) {
        if (i == static_cast<u32>(astar_count::largest_open) || i == static_cast<u32>(astar_count::comparisons))
          continue;
        simt::reduce_add<simt::order::relaxed, simt::scope::device>(sums + i, words_[i]);
      }
      // There is no atomic maximum: the complement's minimum, over a word of all ones.
      simt::atomic_min<simt::order::relaxed, simt::scope::device>(sums + static_cast<u32>(astar_count::largest_open),
                                                                  ~words_[static_cast<u32>(astar_count::largest_open)]);
    }
  }

 private:
  u64 words_[static_cast<u32>(astar_count::words)] = {};
  u32 open_ = 0;
};

}  // namespace path_finding
