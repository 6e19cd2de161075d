// SPDX-License-Identifier: Apache-2.0
// The element of every queue: a vertex and the distance it had when it was written (MLMQ, Listing 2).
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// One 64-bit word, so that it is stored and loaded whole. The distance is in the upper half: words order by distance.
using element = u64;

SIMT_DEVICE element make_element(u32 vertex, u32 distance) { return static_cast<u64>(distance) << 32 | vertex; }
SIMT_DEVICE u32 vertex_of(element e) { return static_cast<u32>(e); }
SIMT_DEVICE u32 distance_of(element e) { return static_cast<u32>(e >> 32); }

/// Elements in a ring of shared memory: places (first + i) % size of the ring, for i < count.
struct element_run {
  u32 first;
  u32 count;
};

/// Warp collective: puts the elements of the lanes in `lanes` into consecutive words of shared memory, in their order.
/// What is loaded from there by other lanes needs a sync_warp in between.
SIMT_DEVICE void store_compact(u64* words, element e, u32 lanes) {
  if (lanes >> simt::lane() & 1) simt::store(words + simt::popcount(lanes & simt::lanes_below()), e);
}

}  // namespace mlmq
