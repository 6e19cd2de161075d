// SPDX-License-Identifier: Apache-2.0
// Selects the open list of a variant. Every open list has begin, take, is_current, add and store_counts
// (bucket_ring.cuh).
#pragma once

#include "astar/configuration.cuh"
#if MLMQ_OPEN_RING
#include "astar/bucket_ring.cuh"
#else
#include "astar/small_open.cuh"
#endif

namespace path_finding {

#if MLMQ_OPEN_RING
using open_list = bucket_ring;
#else
using open_list = small_open;
#endif

/// @param slot number of the warp in the grid
/// @param shared memory of the open lists of all warps of the block
SIMT_DEVICE open_list open_list_of(const astar_arguments& arguments, u32 slot, u8* shared) {
#if MLMQ_OPEN_RING
  return {shared + simt::warp_in_block() * arguments.ring_bytes,
          arguments.far + static_cast<u64>(slot) * arguments.far_bytes, arguments.far_capacity};
#else
  return {arguments.queues, slot, shared};
#endif
}

}  // namespace path_finding
