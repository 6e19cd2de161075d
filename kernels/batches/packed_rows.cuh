// SPDX-License-Identifier: Apache-2.0
// Rows in place of half the size: an edge is a word of 32 bits, the weight in its low bits, how many is the launch's to say,
// and in the others the number of its end less that of its beginning, which may be negative. A difference of 0 is no edge: loops are
// left out. With a weight of 1 it is a mark in the first word: the row does not fit, and is found by its bounds.
#pragma once

#include "batches/rows.cuh"

namespace mlmq::batches {

/// An edge of a packed row as a word of the others. Words with weights of 8 bytes have no packed rows.
template <class Word>
SIMT_DEVICE Word unpacked_edge(u32 target, u32 weight) {
  if constexpr (sizeof(Word) <= sizeof(u64)) {
    return static_cast<Word>(static_cast<u64>(weight) << 32 | target);
  } else {
    return {};
  }
}

/// Four words at an address that is a multiple of 16 bytes. Words without an edge are not valid.
/// @param vertex whose row it is
SIMT_DEVICE edge_chunk load_packed_chunk(const u32* at, u32 vertex, u32 weight_bits) {
  static_assert(chunk_edges == 4);
  const simt::quad all = simt::load_readonly_quad(at);
  const u32 words[chunk_edges] = {all.x, all.y, all.z, all.w};
  edge_chunk chunk;
  chunk.valid = 0;
  for (u32 i = 0; i < chunk_edges; ++i) {
    const u32 difference = static_cast<u32>(static_cast<int>(words[i]) >> weight_bits);
    const u32 weight = words[i] & ((1u << weight_bits) - 1);
    chunk.words[i] = unpacked_edge<edges::word>(vertex + difference, weight);
    if (difference != 0) chunk.valid |= 1u << i;
  }
  return chunk;
}

/// Whether a row does not fit. @param first its first chunk
SIMT_DEVICE bool is_elsewhere(const edge_chunk& first) {
  return (first.valid & 1) == 0 && edges::weight(first.words[0]) == 1;
}

}  // namespace mlmq::batches
