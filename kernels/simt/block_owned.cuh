// SPDX-License-Identifier: Apache-2.0
// Primitives for kernels whose blocks work independently, several on a multiprocessor:
//
//   load_of_block(address)            a word of global memory that only this block writes while the kernel runs: like
//                                     load_atomic<relaxed, device>, but the multiprocessor's own cache may answer
//   load_readonly_quad(address)       four words that are constant while the kernel runs, in one access
//   SIMT_KERNEL_OF_BLOCKS(name, arguments, blocks)
//                                     SIMT_KERNEL with so few registers that `blocks` fit on a multiprocessor
#pragma once

#include "simt/simt.cuh"

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)

#define SIMT_KERNEL_OF_BLOCKS(name, argument_type, blocks)                 \
  extern "C" __global__ void __launch_bounds__(MLMQ_BLOCK_THREADS, blocks) \
      name(const __grid_constant__ argument_type arguments)

namespace simt {

SIMT_DEVICE u32 load_of_block(const u32* address) {
  u32 value;
  asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

SIMT_DEVICE quad load_readonly_quad(const void* address) {
  const uint4 words = __ldg(static_cast<const uint4*>(address));
  return {words.x, words.y, words.z, words.w};
}

}  // namespace simt

#else

#define SIMT_KERNEL_OF_BLOCKS(name, argument_type, blocks) SIMT_KERNEL(name, argument_type)

namespace simt {

SIMT_DEVICE u32 load_of_block(const u32* address, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
  return load_atomic<order::relaxed, scope::device>(address, file, line);
}

SIMT_DEVICE quad load_readonly_quad(const void* address, const char* file = __builtin_FILE(),
                                    u32 line = __builtin_LINE()) {
  return load_readonly(static_cast<const quad*>(address), file, line);
}

}  // namespace simt

#endif
