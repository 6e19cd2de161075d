// SPDX-License-Identifier: Apache-2.0
// Elements in shared memory: runs in a ring, and compact groups.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// Elements in a ring of shared memory: places (first + i) % size of the ring, for i < count.
struct element_run {
  u32 first;
  u32 count;
};

/// Warp collective: puts the elements of the lanes in `lanes` into consecutive words of shared memory, in lane order.
/// Other lanes may load the words only after a sync_warp.
template <class Element>
SIMT_DEVICE void store_compact(Element* words, Element e, u32 lanes) {
  if (lanes >> simt::lane() & 1) simt::store(words + simt::popcount(lanes & simt::lanes_below()), e);
}

}  // namespace mlmq
