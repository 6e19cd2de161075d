// SPDX-License-Identifier: Apache-2.0
// Clusters of thread blocks: neighbouring blocks that run at the same time, meet at a barrier of their own and reach each
// other's shared memory. The launch says how many blocks a cluster has. A header of its own, so that the text of kernels
// without clusters does not depend on it. GPUs have clusters from compute capability 9.0 on.
//
//   block_in_cluster() cluster_blocks()
//   shared_memory_of(block)           the shared memory of a block of the cluster: for plain load and store, of any block's
//                                     threads. Not before the first barrier of the cluster, which says that the block has
//                                     begun, and not after the last, after which it may have ended
//   arrive_cluster() wait_cluster()   the barrier in two halves: what a thread did before it arrives happens before what
//                                     others do after they have waited, and none comes out of wait_cluster before all have
//                                     arrived. In between there is time for what the others need not see. All threads of
//                                     all blocks call both, in turns; all lanes of a warp at the same place
#pragma once

#include "simt/simt.cuh"

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)

namespace simt {

SIMT_DEVICE u32 block_in_cluster() {
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
SIMT_DEVICE u32 cluster_blocks() {
  u32 count;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return count;
}

SIMT_DEVICE u8* shared_memory_of(u32 block) {
  u64 address;
  asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(shared_memory()), "r"(block));
  return reinterpret_cast<u8*>(address);
}

// The aligned form is for warps whose lanes are together.
SIMT_DEVICE void arrive_cluster() {
  sync_warp();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
SIMT_DEVICE void wait_cluster() {
  sync_warp();
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

}  // namespace simt

#else

#include "simt/cluster_api.hpp"

#define SIMT_PLACE const char *file = __builtin_FILE(), u32 line = __builtin_LINE()

namespace simt {

namespace detail {

SIMT_DEVICE const simulator::cluster_lane_view* self_in_cluster() {
  return static_cast<const simulator::cluster_lane_view*>(self());
}

}  // namespace detail

SIMT_DEVICE u32 block_in_cluster() { return detail::self_in_cluster()->block_in_cluster; }
SIMT_DEVICE u32 cluster_blocks() { return detail::self_in_cluster()->cluster_blocks; }

SIMT_DEVICE u8* shared_memory_of(u32 block) {
  const simulator::cluster_lane_view* const me = detail::self_in_cluster();
  return me->shared_memory - me->block_in_cluster * me->shared_distance + block * me->shared_distance;
}

SIMT_DEVICE void arrive_cluster(SIMT_PLACE) { detail::collect(simulator::arrive_cluster, 0, 0, file, line); }
SIMT_DEVICE void wait_cluster(SIMT_PLACE) { detail::collect(simulator::wait_cluster, 0, 0, file, line); }

}  // namespace simt

#undef SIMT_PLACE

#endif
