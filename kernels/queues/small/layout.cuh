// SPDX-License-Identifier: Apache-2.0
// Positions of the places of small queues in the array of elements. A layout has
//
//   first<lanes>(queue, places)   the position of place 0 of a queue, whose group has `lanes` lanes
//   offset<lanes>(place)          how far a place is behind place 0
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// One queue after the other. Lanes of one queue read neighbouring words together.
struct layout_contiguous {
  template <u32 lanes>
  SIMT_DEVICE static u64 first(u32 queue, u32 places) {
    return static_cast<u64>(queue) * places;
  }
  template <u32 lanes>
  SIMT_DEVICE static u32 offset(u32 place) {
    return place;
  }
};

/// Interleaves the queues of a warp: if its groups read the same places at the same time, the warp reads 32
/// neighbouring words. Places of a queue lie together in runs as long as its group.
struct layout_interleaved {
  template <u32 lanes>
  SIMT_DEVICE static u64 first(u32 queue, u32 places) {
    constexpr u32 run = run_of(lanes);
    constexpr u32 queues_per_warp = simt::warp_size / run;
    return static_cast<u64>(queue / queues_per_warp) * queues_per_warp * places + queue % queues_per_warp * run;
  }
  template <u32 lanes>
  SIMT_DEVICE static u32 offset(u32 place) {
    constexpr u32 run = run_of(lanes);
    return place / run * simt::warp_size + place % run;
  }

 private:
  SIMT_DEVICE static constexpr u32 run_of(u32 lanes) { return lanes < simt::warp_size ? lanes : simt::warp_size; }
};

}  // namespace mlmq
