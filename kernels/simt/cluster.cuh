// SPDX-License-Identifier: Apache-2.0
// Clusters of thread blocks: neighbouring blocks that run at the same time, have a common barrier, and can access each
// other's shared memory. The launch sets the number of blocks of a cluster. This is a separate header, so that the text
// of kernels without clusters does not depend on it. GPUs have clusters from compute capability 9.0 on.
//
//   block_in_cluster() cluster_blocks()
//   shared_memory_of(block)           the shared memory of a block of the cluster: for plain load and store by threads
//                                     of any block. Only after the first barrier of the cluster, because the block may
//                                     not have started before, and not after the last, because it may have ended
//   arrive_cluster() wait_cluster()   the barrier in two halves: accesses of a thread before it arrives happen before
//                                     accesses of others after they have waited, and no thread returns from
//                                     wait_cluster before all have arrived. Work that the others need not see can be
//                                     done in between. All threads of all blocks call both alternately; all lanes of a
//                                     warp at the same place
//   cluster_exchange                  the same barrier for values of 16 bytes that are posted to other blocks: cheaper
//                                     than stores, for which an arriving thread has to wait
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

/// A barrier in the destination memory counts the bytes of posted values (mbarrier, st.async), so that only their
/// reader waits for them. Two such barriers alternate: a block may be at most one phase ahead of another.
class cluster_exchange {
 public:
  static constexpr u32 bytes = 16;

  /// Called by all threads, before the first arrive_cluster(). @param words `bytes` of shared memory, at the same
  /// offset in all blocks, aligned to 8
  SIMT_DEVICE explicit cluster_exchange(u64* words) : barriers_(detail::shared_address(words)) {
    if (thread_in_block() != 0) return;
    for (u32 i = 0; i < 2; ++i) {
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barriers_ + 8 * i), "r"(cluster_blocks()) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /// Called by any thread. @param destination address in this block's shared memory; the value goes to the same offset
  /// in `block`
  SIMT_DEVICE void post(u32 block, quad* destination, const quad& value) const {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
            map(detail::shared_address(destination), block)),
        "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(map(current_barrier(), block))
        : "memory");
  }
  /// Called by all threads, after a barrier of the block that follows the last post.
  /// @param posted number of values to a block since the last phase: thread b < cluster_blocks() gives that of block
  /// b
  SIMT_DEVICE void arrive(u32 posted) const {
    if (thread_in_block() >= cluster_blocks()) return;
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                     map(current_barrier(), thread_in_block())),
                 "r"(posted * 16)
                 : "memory");
  }
  /// Called by all threads. Returns when all have arrived and all values posted before have been received.
  SIMT_DEVICE void wait() {
    u32 done = 0;
    while (done == 0) {
      asm volatile(
          "{\n.reg .pred p;\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p;\n}"
          : "=r"(done)
          : "r"(current_barrier()), "r"(phase_ >> 1 & 1)
          : "memory");
    }
    ++phase_;
    sync_warp();
  }

 private:
  SIMT_DEVICE static u32 map(u32 address, u32 block) {
    u32 mapped;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(block));
    return mapped;
  }
  SIMT_DEVICE u32 current_barrier() const { return barriers_ + 8 * (phase_ & 1); }

  u32 barriers_;
  u32 phase_ = 0;
};

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

/// In the simulator a post is a store.
class cluster_exchange {
 public:
  static constexpr u32 bytes = 16;
  SIMT_DEVICE explicit cluster_exchange(u64* /*words*/) {}
  SIMT_DEVICE void post(u32 block, quad* destination, const quad& value, SIMT_PLACE) const {
    const unsigned long place =
        reinterpret_cast<unsigned long>(destination) - reinterpret_cast<unsigned long>(shared_memory());
    store(reinterpret_cast<quad*>(shared_memory_of(block) + place), value, file, line);
  }
  SIMT_DEVICE void arrive(u32 /*posted*/, SIMT_PLACE) const { arrive_cluster(file, line); }
  SIMT_DEVICE void wait(SIMT_PLACE) const { wait_cluster(file, line); }
};

}  // namespace simt

#undef SIMT_PLACE

#endif
