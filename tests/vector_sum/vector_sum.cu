// SPDX-License-Identifier: Apache-2.0
// Adds the numbers in a part of a vector. In each round, a thread takes MLMQ_ITEMS numbers that are one grid apart;
// warps add the sums of their lanes, and one lane adds the result to the sum in memory.
#include "simt/simt.cuh"
#include "vector_sum_abi.cuh"

SIMT_KERNEL(vector_sum, vector_sum_arguments) {
  using namespace simt;
  constexpr u32 items = MLMQ_ITEMS;
  const u64 threads = static_cast<u64>(grid_blocks()) * block_threads();
  const u64 thread = static_cast<u64>(block_index()) * block_threads() + thread_in_block();
  // All lanes of a warp run the same number of rounds, since they add their sums together at the end of each.
  for (u64 round = arguments.begin; round < arguments.end; round += threads * items) {
    u64 sum = 0;
    for (u32 item = 0; item < items; ++item) {
      const u64 i = round + item * threads + thread;
      if (i < arguments.end) sum += load(arguments.numbers + i);
    }
    for (u32 apart = warp_size / 2; apart > 0; apart /= 2) sum += shuffle(sum, (lane() + apart) % warp_size);
    if (lane() == 0 && sum != 0) {
      reduce_add<order::relaxed, scope::device>(arguments.sum, sum);
#if MLMQ_COUNTERS
      reduce_add<order::relaxed, scope::device>(arguments.adds, u64{1});
#endif
    }
  }
}
