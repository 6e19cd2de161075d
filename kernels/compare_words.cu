// SPDX-License-Identifier: Apache-2.0
// Compares two arrays in device memory: answers are compared at the speed of memory, so that a sweep spends its time on
// measuring.

#include "compare_words_abi.cuh"
#include "simt/simt.cuh"

SIMT_KERNEL(compare_words, mlmq::comparison_arguments) {
  const u64 threads = static_cast<u64>(simt::grid_blocks()) * simt::block_threads();
  u64 i = static_cast<u64>(simt::block_index()) * simt::block_threads() + simt::thread_in_block();
  bool differ = false;
  for (; i < arguments.words; i += threads) {
    differ = differ || simt::load(arguments.first + i) != simt::load(arguments.second + i);
  }
  if (differ) simt::store_atomic<simt::order::relaxed, simt::scope::device>(arguments.differs, 1u);
}
