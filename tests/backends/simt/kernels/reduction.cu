// SPDX-License-Identifier: Apache-2.0
// A tree reduction in shared memory, with one barrier per level.
#include "simt/simt.cuh"

struct reduction_arguments {
  const u32* values;  // one per thread of the grid
  u32* sums;          // one per block
};

SIMT_KERNEL(reduction, reduction_arguments) {
  u32* const tree = reinterpret_cast<u32*>(simt::shared_memory());
  const u32 thread = simt::thread_in_block();
  simt::store(tree + thread,
              simt::load_readonly(arguments.values + simt::block_index() * simt::block_threads() + thread));
  simt::sync_block();
  for (u32 half = simt::block_threads() / 2; half > 0; half /= 2) {
    if (thread < half) simt::store(tree + thread, simt::load(tree + thread) + simt::load(tree + thread + half));
    simt::sync_block();
  }
  if (thread == 0) simt::store(arguments.sums + simt::block_index(), simt::load(tree));
}
