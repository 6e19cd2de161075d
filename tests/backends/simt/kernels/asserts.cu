// SPDX-License-Identifier: Apache-2.0
// An assertion whose condition contains a collective.
#include "simt/simt.cuh"

struct assert_arguments {
  u32* words;
  u32 count;
  u32* other;
};

SIMT_KERNEL(asserts, assert_arguments) {
  SIMT_ASSERT(simt::warp_max(simt::lane()) < LIMIT);  // [assertion]
  simt::store(arguments.words + simt::block_index() * simt::block_threads() + simt::thread_in_block(), 1u);
}
