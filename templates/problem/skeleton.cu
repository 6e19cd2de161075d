// SPDX-License-Identifier: Apache-2.0
#include "simt/simt.cuh"
#include "skeleton_abi.cuh"

SIMT_KERNEL(skeleton, skeleton_arguments) {
  using namespace simt;
  const u64 threads = static_cast<u64>(grid_blocks()) * block_threads();
  for (u64 v = static_cast<u64>(block_index()) * block_threads() + thread_in_block(); v < arguments.vertices;
       v += threads) {
    if (load(arguments.offsets + v + 1) - load(arguments.offsets + v) >= arguments.degree) {
      reduce_add<order::relaxed, scope::device>(arguments.result, u64{1});
    }
  }
}
