// SPDX-License-Identifier: Apache-2.0
// Reads rows, one chunk of edges per lane at a time.
#pragma once

#include "multi_source/configuration.cuh"
#include "search_abi.cuh"
#include "simt/block_owned.cuh"

namespace mlmq::multi_source {

/// Edges that a lane loads concurrently.
inline constexpr u32 chunk_edges = 4;

struct edge_chunk {
  edges::word words[chunk_edges];
  u32 valid;  ///< one bit per word that is an edge
};

/// Loads four words at an address that is a multiple of 16 bytes: edges in place. Words without an edge are not valid.
template <class Word>
SIMT_DEVICE edge_chunk load_chunk(const Word* address) {
  edge_chunk chunk;
  if constexpr (sizeof(Word) == sizeof(simt::wide_pair)) {
    for (u32 i = 0; i < chunk_edges; ++i) chunk.words[i] = simt::load_readonly(address + i);
  } else if constexpr (sizeof(Word) == sizeof(u64)) {
    const simt::quad low = simt::load_readonly_quad(address);
    const simt::quad high = simt::load_readonly_quad(address + 2);
    chunk.words[0] = static_cast<Word>(static_cast<u64>(low.y) << 32 | low.x);
    chunk.words[1] = static_cast<Word>(static_cast<u64>(low.w) << 32 | low.z);
    chunk.words[2] = static_cast<Word>(static_cast<u64>(high.y) << 32 | high.x);
    chunk.words[3] = static_cast<Word>(static_cast<u64>(high.w) << 32 | high.z);
  } else {
    const simt::quad loaded = simt::load_readonly_quad(address);
    chunk.words[0] = static_cast<Word>(loaded.x);
    chunk.words[1] = static_cast<Word>(loaded.y);
    chunk.words[2] = static_cast<Word>(loaded.z);
    chunk.words[3] = static_cast<Word>(loaded.w);
  }
  chunk.valid = 0;
  for (u32 i = 0; i < chunk_edges; ++i) {
    if ((edges::target(chunk.words[i]) & continuation) == 0) chunk.valid |= 1u << i;
  }
  return chunk;
}

/// Loads those of the words at `first`, `first + step`, … that are before `end`.
SIMT_DEVICE edge_chunk load_chunk(const edges::word* edge_words, u32 first, u32 step, u32 end) {
  edge_chunk chunk;
  chunk.valid = 0;
  for (u32 i = 0; i < chunk_edges; ++i) {
    chunk.words[i] = {};
    if (first + i * step < end) {
      chunk.words[i] = simt::load_readonly(edge_words + first + i * step);
      chunk.valid |= 1u << i;
    }
  }
  return chunk;
}

}  // namespace mlmq::multi_source
