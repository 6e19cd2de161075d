// SPDX-License-Identifier: Apache-2.0
// Writes distances that count units of 10^-k as decimal numbers.
#include "finish_distances_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;

SIMT_KERNEL(decimal_distances, mlmq::decimal_arguments) {
  constexpr u32 all_ones = ~0u;
  const u64 threads = static_cast<u64>(grid_blocks()) * block_threads();
  u64 i = static_cast<u64>(block_index()) * block_threads() + thread_in_block();
  for (; i < arguments.count; i += threads) {
    const u32 word = load(arguments.words + i);
    store(arguments.numbers + i, word == all_ones ? arguments.unreached : static_cast<double>(word) / arguments.units);
  }
}
