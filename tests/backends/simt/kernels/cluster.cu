// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks: one correct kernel, and kernels with one mistake each.
#include "simt/cluster.cuh"
#include "simt/simt.cuh"

struct cluster_test_arguments {
  u32* words;  // one per thread of the grid
};

/// Rounds in which each block writes to the next block of the cluster and reads what the preceding block has written.
SIMT_KERNEL(round_trip, cluster_test_arguments) {
  const u32 me = simt::thread_in_block();
  const u32 threads = simt::block_threads();
  u32* const mine = reinterpret_cast<u32*>(simt::shared_memory());
  const u32 next = (simt::block_in_cluster() + 1) % simt::cluster_blocks();
  u32* const target = reinterpret_cast<u32*>(simt::shared_memory_of(next));
  simt::arrive_cluster();
  simt::wait_cluster();
  u32 value = simt::block_index() * threads + me;
  for (u32 round = 0; round < simt::cluster_blocks(); ++round) {
    // Two buffers used in rotation, so that no block overwrites values that others still read.
    simt::store(target + round % 2 * threads + me, value);
    simt::arrive_cluster();
    simt::wait_cluster();
    value = simt::load(mine + round % 2 * threads + me);
  }
  simt::store(arguments.words + simt::block_index() * threads + me, value);
}

SIMT_KERNEL(one_half, cluster_test_arguments) {
  u32* const target =
      reinterpret_cast<u32*>(simt::shared_memory_of(simt::block_in_cluster() ^ 1)) + simt::thread_in_block();
  simt::arrive_cluster();
  simt::wait_cluster();
  simt::store(target, 7u);  // [one_half_store]
  simt::arrive_cluster();
  u32* const mine = reinterpret_cast<u32*>(simt::shared_memory()) + simt::thread_in_block();
  simt::store(arguments.words + simt::block_index() * simt::block_threads() + simt::thread_in_block(),
              simt::load(mine));  // [one_half]
  simt::wait_cluster();
}

SIMT_KERNEL(too_early, cluster_test_arguments) {
  simt::store(reinterpret_cast<u32*>(simt::shared_memory_of(simt::block_in_cluster() ^ 1)),  // [too_early]
              arguments.words == nullptr ? 1u : 0u);
}

SIMT_KERNEL(too_late, cluster_test_arguments) {
  simt::arrive_cluster();
  simt::wait_cluster();
  if (simt::block_in_cluster() == 0) return;
  simt::backoff(20'000);
  // The other blocks have continued by now.
  simt::backoff(1);
  simt::store(reinterpret_cast<u32*>(simt::shared_memory_of(0)) + simt::thread_in_block(),  // [too_late]
              arguments.words == nullptr ? 1u : 0u);
}

SIMT_KERNEL(atomic_in_other_block, cluster_test_arguments) {
  simt::arrive_cluster();
  simt::wait_cluster();
  simt::atomic_exchange<simt::order::relaxed, simt::scope::block>(  // [atomic_in_other_block]
      reinterpret_cast<u32*>(simt::shared_memory_of(simt::block_in_cluster() ^ 1)),
      arguments.words == nullptr ? 1u : 0u);
}

SIMT_KERNEL(other_cluster, cluster_test_arguments) {
  simt::arrive_cluster();
  simt::wait_cluster();
  simt::store(reinterpret_cast<u32*>(simt::shared_memory_of(simt::cluster_blocks())),  // [other_cluster]
              arguments.words == nullptr ? 1u : 0u);
}

SIMT_KERNEL(arrives_twice, cluster_test_arguments) {
  simt::arrive_cluster();
  if (arguments.words != nullptr) simt::arrive_cluster();  // [arrives_twice]
  simt::wait_cluster();
}

SIMT_KERNEL(waits_alone, cluster_test_arguments) {
  if (arguments.words != nullptr) simt::wait_cluster();  // [waits_alone]
  simt::arrive_cluster();
}

SIMT_KERNEL(one_block_ends, cluster_test_arguments) {
  if (arguments.words != nullptr && simt::block_in_cluster() == 1) return;
  simt::arrive_cluster();
  simt::wait_cluster();  // [one_block_ends]
}
