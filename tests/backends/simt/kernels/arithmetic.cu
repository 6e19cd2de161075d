// SPDX-License-Identifier: Apache-2.0
// Every lane computes with its own indices.
#include "simt/simt.cuh"

struct arithmetic_arguments {
  u32* results;  // one per thread of the grid
  u32 factor;
};

SIMT_KERNEL(arithmetic, arithmetic_arguments) {
  const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  const u32 again =
      (simt::block_index() * (simt::block_threads() / simt::warp_size) + simt::warp_in_block()) * simt::warp_size +
      simt::lane();
  simt::store(arguments.results + thread, again * arguments.factor + simt::grid_blocks());
}
