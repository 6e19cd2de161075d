// SPDX-License-Identifier: Apache-2.0
// Sums up the answer of a search: over the vertices of each lane, then over each warp, then over the block.
#pragma once

#include "multi_source/configuration.cuh"
#include "multi_source/multi_source_abi.cuh"
#include "simt/simt.cuh"

namespace mlmq::multi_source {

/// A lane's part of an answer.
struct partial_answer {
  u64 digest = 0;
  u32 reached = 0;
  u32 farthest = 0;  ///< key of the largest distance

  SIMT_DEVICE void add(u32 vertex, word distance) {
    if (distance == width::none) return;
    digest += digest_of(vertex, distance);
    ++reached;
    if (width::key_of(distance) > farthest) farthest = width::key_of(distance);
  }
};

/// Warp collective: returns the sum over all lanes, in each of them.
SIMT_DEVICE partial_answer sum_of_warp(const partial_answer& lane_answer) {
  partial_answer sum = lane_answer;
  for (u32 distance = simt::warp_size / 2; distance > 0; distance /= 2) {
    sum.digest += simt::shuffle(sum.digest, simt::lane() ^ distance);
  }
  sum.reached = simt::warp_add(lane_answer.reached);
  sum.farthest = simt::warp_max(lane_answer.farthest);
  return sum;
}

/// Raises a word to `candidate` if it is smaller. Any thread may call it. There is no atomic maximum.
template <simt::scope scope>
SIMT_DEVICE void raise_to(u32* word, u32 candidate) {
  u32 farthest = simt::load_atomic<simt::order::relaxed, scope>(word);
  while (farthest < candidate) {
    const u32 seen = simt::atomic_compare_exchange<simt::order::relaxed, scope>(word, farthest, candidate);
    if (seen == farthest) return;
    farthest = seen;
  }
}

}  // namespace mlmq::multi_source
