// SPDX-License-Identifier: Apache-2.0
// Counters of a warp in variants that count; empty in other variants.
#pragma once

#include "astar/configuration.cuh"

#ifdef MLMQ_TIMELINE
#include "astar/expansion_log.cuh"
#else

namespace path_finding {

class search_counts {
 public:
  /// @param sums only used by store()
  SIMT_DEVICE explicit search_counts(u64* /*sums*/) {}

  /// `amount` is the same in all lanes.
  SIMT_DEVICE void add(astar_count kind, u32 amount) {
    if constexpr (counting) words_[static_cast<u32>(kind)] += amount;
  }
  /// Adds `added` elements to the size of the open list, removes `removed`, and keeps the maximum.
  SIMT_DEVICE void resize_open(u32 added, u32 removed) {
    if constexpr (counting) {
      open_ += added;
      open_ -= removed;
      u64& largest = words_[static_cast<u32>(astar_count::largest_open)];
      if (open_ > largest) largest = open_;
    }
  }
  /// Counts the lengths of the open list before each of `added` insertions, after `removed` elements were removed.
  SIMT_DEVICE void count_insertions(u32 added, u32 removed) {
    if constexpr (counting) {
      words_[static_cast<u32>(astar_count::open_at_insertions)] +=
          static_cast<u64>(added) * (open_ - removed) + static_cast<u64>(added) * (added - 1) / 2;
    }
  }
  SIMT_DEVICE void begin_search() { open_ = 0; }
  /// Counts the length of the open list at the beginning of a batch.
  SIMT_DEVICE void count_expansion(u32 /*cell*/, u32 /*goal*/, bool /*has_cell*/) {
    if constexpr (counting) words_[static_cast<u32>(astar_count::open_at_batches)] += open_;
  }

  /// Adds to the sums of the run; one lane of each warp records the largest list.
  SIMT_DEVICE void store(u64* sums) const {
    if constexpr (counting) {
      if (simt::lane() != 0) return;
      for (u32 i = 0; i < static_cast<u32>(astar_count::words); ++i) {
        if (i == static_cast<u32>(astar_count::largest_open) || i == static_cast<u32>(astar_count::comparisons))
          continue;
        simt::reduce_add<simt::order::relaxed, simt::scope::device>(sums + i, words_[i]);
      }
      // There is no atomic maximum; take the minimum of the complement, in a word that starts as all ones.
      simt::atomic_min<simt::order::relaxed, simt::scope::device>(sums + static_cast<u32>(astar_count::largest_open),
                                                                  ~words_[static_cast<u32>(astar_count::largest_open)]);
    }
  }

 private:
  u64 words_[static_cast<u32>(astar_count::words)] = {};
  u32 open_ = 0;
};

}  // namespace path_finding

#endif
