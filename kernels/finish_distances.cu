// SPDX-License-Identifier: Apache-2.0
// Converts distances that a search wrote to those that a caller reads: the float of an unreached vertex becomes
// infinity. Also sets a flag if any distance was too large for its 32 bits.
#include "finish_distances_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;

SIMT_KERNEL(finish_distances, mlmq::finish_arguments) {
  constexpr u32 all_ones = ~0u;
  const u64 threads = static_cast<u64>(grid_blocks()) * block_threads();
  u64 i = static_cast<u64>(block_index()) * block_threads() + thread_in_block();
  bool has_saturated = false;
  for (; i < arguments.count; i += threads) {
    const u32 word = load(arguments.words + i);
    has_saturated = has_saturated || word == arguments.saturated;
    if (word == all_ones && arguments.unreached != all_ones) store(arguments.words + i, arguments.unreached);
  }
  if (has_saturated) store_atomic<order::relaxed, scope::device>(arguments.saturated_flag, 1u);
}
