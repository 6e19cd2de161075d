// SPDX-License-Identifier: Apache-2.0
// State of each cell in a search, one word of 32 bits; all ones: unknown. The table belongs to one warp.
//   exact mode: the length of the shortest path found so far
//   paper mode: bits of the half float f in the upper bits, and the direction of the step that led to the cell
#pragma once

#include "astar/configuration.cuh"

namespace path_finding {

inline constexpr u32 unknown = 0xFFFFFFFFu;

/// Table in shared memory, which is cleared for each search.
class shared_table {
 public:
  SIMT_DEVICE shared_table(u32* words, u32 cells) : words_(words), cells_(cells) {}

  /// Called by all lanes together.
  SIMT_DEVICE void begin(u32 /*stamp*/) {
    const simt::quad nothing{unknown, unknown, unknown, unknown};
    simt::quad* const quads = reinterpret_cast<simt::quad*>(words_);
    for (u32 i = simt::lane(); i < (cells_ + 3) / 4; i += simt::warp_size) simt::store(quads + i, nothing);
    simt::sync_warp();
  }

  SIMT_DEVICE u32 read(u32 cell) const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(words_ + cell);
  }
  /// Stores `word` if it is less than the current one. Returns whether it was.
  SIMT_DEVICE bool improve(u32 cell, u32 word) {
    return simt::atomic_min<simt::order::relaxed, simt::scope::block>(words_ + cell, word) > word;
  }

 private:
  u32* words_;
  u32 cells_;
};

/// Table in global memory. The upper half of a 64-bit word is the stamp of the search that wrote it. Stamps fall from
/// search to search, so words of earlier searches are larger than all words of the current one, and the table is never
/// cleared.
class stamped_table {
 public:
  SIMT_DEVICE stamped_table(u64* words, u32 /*cells*/) : words_(words) {}

  SIMT_DEVICE void begin(u32 stamp) { stamp_ = stamp; }

  SIMT_DEVICE u32 read(u32 cell) const {
    return value_of(simt::load_atomic<simt::order::relaxed, simt::scope::device>(words_ + cell));
  }
  SIMT_DEVICE bool improve(u32 cell, u32 word) {
    const u64 stamped = stamped_word(word);
    return simt::atomic_min<simt::order::relaxed, simt::scope::device>(words_ + cell, stamped) > stamped;
  }

 private:
  SIMT_DEVICE u64 stamped_word(u32 word) const { return static_cast<u64>(stamp_) << 32 | word; }
  SIMT_DEVICE u32 value_of(u64 stamped) const {
    return static_cast<u32>(stamped >> 32) == stamp_ ? static_cast<u32>(stamped) : unknown;
  }

  u64* words_;
  u32 stamp_ = 0;
};

}  // namespace path_finding
