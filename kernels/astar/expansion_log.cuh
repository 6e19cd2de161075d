// SPDX-License-Identifier: Apache-2.0
// Log of the cells that searches expand, in place of counters, in variants with MLMQ_TIMELINE; other variants do not
// include this file. Only searches of the paper write to it.
#pragma once

#include "astar/configuration.cuh"

namespace path_finding {

class search_counts {
 public:
  /// @param log the number of entries, zero at first, and two words for each: goal and cell; time of simt::clock_ns()
  SIMT_DEVICE explicit search_counts(u64* log) : log_(log) {}

  SIMT_DEVICE void add(astar_count, u32) {}
  SIMT_DEVICE void resize_open(u32, u32) {}
  SIMT_DEVICE void count_insertions(u32, u32) {}
  SIMT_DEVICE void begin_search() {}

  /// Each lane has another cell. @param goal of the search, which identifies it
  SIMT_DEVICE void count_expansion(u32 cell, u32 goal, bool has_cell) {
    if (!has_cell) return;
    const u64 entry = simt::atomic_add<simt::order::relaxed, simt::scope::device>(log_, u64{1});
    simt::store(log_ + 1 + 2 * entry, static_cast<u64>(goal) << 32 | cell);
    simt::store(log_ + 2 + 2 * entry, simt::clock_ns());
  }
  SIMT_DEVICE void store(u64*) const {}

 private:
  u64* log_;
};

}  // namespace path_finding
