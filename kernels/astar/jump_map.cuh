// SPDX-License-Identifier: Apache-2.0
// State of each cell in a jump search, one word in global memory: the stamp of the search (24 bits), the length of the
// shortest path found so far (32 bits), and the directions that have not been followed from the cell (8 bits). Stamps
// decrease from search to search, like those of stamped_table. A shorter length makes the word smaller and opens all
// directions again. Following a direction also makes the word smaller, so another path of the same length does not open
// that direction again.
#pragma once

#include "astar/configuration.cuh"

namespace path_finding {

class jump_map {
 public:
  static constexpr u32 unknown = 0xFFFFFFFFu;

  struct entry {
    u32 length;
    u32 open;  ///< directions not followed yet
  };

  SIMT_DEVICE jump_map(u64* words, u32 stamp) : words_(words), stamp_(stamp) {}

  SIMT_DEVICE entry read(u32 cell) const {
    return entry_of(simt::load_atomic<simt::order::relaxed, simt::scope::device>(words_ + cell));
  }

  /// Records that a path of this length has reached `cell`. Returns whether any of `directions` is still to be
  /// followed.
  SIMT_DEVICE bool reach(u32 cell, u32 length, u32 directions) {
    const entry old =
        entry_of(simt::atomic_min<simt::order::relaxed, simt::scope::device>(words_ + cell, word_of({length, 0xFFu})));
    return length < old.length || (length == old.length && (old.open & directions) != 0);
  }

  /// Called by one lane per cell, ordered before and after the accesses of other lanes.
  SIMT_DEVICE void store(u32 cell, const entry& value) {
    simt::store_atomic<simt::order::relaxed, simt::scope::device>(words_ + cell, word_of(value));
  }

 private:
  SIMT_DEVICE u64 word_of(const entry& e) const {
    return static_cast<u64>(stamp_) << 40 | static_cast<u64>(e.length) << 8 | e.open;
  }
  SIMT_DEVICE entry entry_of(u64 word) const {
    if (static_cast<u32>(word >> 40) != stamp_) return {unknown, 0xFFu};
    return {static_cast<u32>(word >> 8), static_cast<u32>(word) & 0xFFu};
  }

  u64* words_;
  u32 stamp_;
};

}  // namespace path_finding
