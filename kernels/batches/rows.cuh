// SPDX-License-Identifier: Apache-2.0
// Rows as a lane reads them, a chunk of edges at a time.
#pragma once

#include "batches/batch_configuration.cuh"
#include "search_abi.cuh"
#include "simt/block_owned.cuh"

namespace mlmq::batches {

/// Edges whose loads a lane has in flight together.
inline constexpr u32 chunk_edges = 4;

struct edge_chunk {
  edges::word words[chunk_edges];
  u32 valid;  ///< a bit for each that is an edge
};

/// Four words at an address that is a multiple of 16 bytes: edges in place. Words without an edge are not valid.
template <class Word>
SIMT_DEVICE edge_chunk load_chunk(const Word* at) {
  edge_chunk chunk;
  if constexpr (sizeof(Word) == sizeof(simt::wide_pair)) {
    for (u32 i = 0; i < chunk_edges; ++i) chunk.words[i] = simt::load_readonly(at + i);
  } else if constexpr (sizeof(Word) == sizeof(u64)) {
    const simt::quad low = simt::load_readonly_quad(at);
    const simt::quad high = simt::load_readonly_quad(at + 2);
    chunk.words[0] = static_cast<Word>(static_cast<u64>(low.y) << 32 | low.x);
    chunk.words[1] = static_cast<Word>(static_cast<u64>(low.w) << 32 | low.z);
    chunk.words[2] = static_cast<Word>(static_cast<u64>(high.y) << 32 | high.x);
    chunk.words[3] = static_cast<Word>(static_cast<u64>(high.w) << 32 | high.z);
  } else {
    const simt::quad all = simt::load_readonly_quad(at);
    chunk.words[0] = static_cast<Word>(all.x);
    chunk.words[1] = static_cast<Word>(all.y);
    chunk.words[2] = static_cast<Word>(all.z);
    chunk.words[3] = static_cast<Word>(all.w);
  }
  chunk.valid = 0;
  for (u32 i = 0; i < chunk_edges; ++i) {
    if ((edges::target(chunk.words[i]) & continuation) == 0) chunk.valid |= 1u << i;
  }
  return chunk;
}

/// The words at `first`, as many as there are before `end`.
SIMT_DEVICE edge_chunk load_chunk(const edges::word* all, u32 first, u32 step, u32 end) {
  edge_chunk chunk;
  chunk.valid = 0;
  for (u32 i = 0; i < chunk_edges; ++i) {
    chunk.words[i] = {};
    if (first + i * step < end) {
      chunk.words[i] = simt::load_readonly(all + first + i * step);
      chunk.valid |= 1u << i;
    }
  }
  return chunk;
}

}  // namespace mlmq::batches
