// SPDX-License-Identifier: Apache-2.0
// Packed rows have fixed positions and half the size of other rows: an edge is a word of 32 bits. Its low bits, whose
// number is set at launch, hold the weight. The other bits hold the number of the target minus that of the source,
// which may be negative. A difference of 0 means no edge, because loops are left out. A difference of 0 with a weight
// of 1 in the first word marks a row that does not fit; such a row is read between its bounds.
#pragma once

#include "multi_source/rows.cuh"

namespace mlmq::multi_source {

/// Unpacks an edge of a packed row to a word of normal rows. There are no packed rows for weights of 8 bytes.
template <class Word>
SIMT_DEVICE Word unpacked_edge(u32 target, u32 weight) {
  if constexpr (sizeof(Word) <= sizeof(u64)) {
    return static_cast<Word>(static_cast<u64>(weight) << 32 | target);
  } else {
    return {};
  }
}

/// Loads four words at an address that is a multiple of 16 bytes. Words without an edge are not valid.
/// @param vertex vertex of the row
SIMT_DEVICE edge_chunk load_packed_chunk(const u32* address, u32 vertex, u32 weight_bits) {
  static_assert(chunk_edges == 4);
  const simt::quad packed = simt::load_readonly_quad(address);
  const u32 words[chunk_edges] = {packed.x, packed.y, packed.z, packed.w};
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

/// Returns whether a row does not fit. @param first its first chunk
SIMT_DEVICE bool is_unpacked(const edge_chunk& first) {
  return (first.valid & 1) == 0 && edges::weight(first.words[0]) == 1;
}

}  // namespace mlmq::multi_source
