// SPDX-License-Identifier: Apache-2.0
// Like finish_distances.cu, for 8-byte distances.
#include "finish_distances_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;

SIMT_KERNEL(finish_wide_distances, mlmq::finish_wide_arguments) {
  constexpr u64 all_ones = ~0ull;
  const u64 threads = static_cast<u64>(grid_blocks()) * block_threads();
  u64 i = static_cast<u64>(block_index()) * block_threads() + thread_in_block();
  bool has_saturated = false;
  for (; i < arguments.count; i += threads) {
    const u64 word = load(arguments.words + i);
    has_saturated = has_saturated || word == arguments.saturated;
    if (word == all_ones && arguments.unreached != all_ones) store(arguments.words + i, arguments.unreached);
  }
  if (has_saturated) store_atomic<order::relaxed, scope::device>(arguments.saturated_flag, 1u);
}
