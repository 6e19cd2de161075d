// SPDX-License-Identifier: Apache-2.0
// Kernels whose modelled times are compared.
#include "simt/simt.cuh"

struct timing_arguments {
  u32* words;
  u32 stride;  // distance between the words of two threads
  u32 lanes;   // number of lanes per warp that take part
  u32 rounds;
};

SIMT_KERNEL(adds, timing_arguments) {
  const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  if (simt::lane() >= arguments.lanes) return;
  for (u32 i = 0; i < arguments.rounds; ++i) {
    simt::atomic_add<simt::order::relaxed, simt::scope::device>(arguments.words + thread * arguments.stride, 1u);
  }
}

SIMT_KERNEL(loads, timing_arguments) {
  const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  u32 sum = 0;
  for (u32 i = 0; i < arguments.rounds; ++i) {
    if (simt::lane() < arguments.lanes) sum += simt::load(arguments.words + thread * arguments.stride);
    simt::sync_warp();
  }
  if (sum == 12345) simt::store(arguments.words + thread * arguments.stride, sum);
}

SIMT_KERNEL(waits, timing_arguments) {
  const u64 start = simt::clock_ns();
  simt::backoff(arguments.rounds);
  const u64 end = simt::clock_ns();
  if (simt::thread_in_block() == 0 && simt::block_index() == 0)
    simt::store(arguments.words, static_cast<u32>(end - start));
}
