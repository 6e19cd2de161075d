// SPDX-License-Identifier: Apache-2.0
// Sums of doubles in global memory:
//
//   add_float64(address, value)       atomic, relaxed, without a result; simt.cuh has the same for integers
#pragma once

#include "simt/simt.cuh"

namespace simt {

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)

SIMT_DEVICE void add_float64(double* address, double value) {
  asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(address), "d"(value) : "memory");
}

#else

SIMT_DEVICE void add_float64(double* address, double value, const char* file = __builtin_FILE(),
                             u32 line = __builtin_LINE()) {
  u64* const word = reinterpret_cast<u64*>(address);
  u64 expected = load_atomic<order::relaxed, scope::device>(word, file, line);
  for (;;) {
    const u64 sum = __builtin_bit_cast(u64, __builtin_bit_cast(double, expected) + value);
    const u64 seen = atomic_compare_exchange<order::relaxed, scope::device>(word, expected, sum, file, line);
    if (seen == expected) return;
    expected = seen;
  }
}

#endif

}  // namespace simt
