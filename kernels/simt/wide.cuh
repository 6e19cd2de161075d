// SPDX-License-Identifier: Apache-2.0
// Additional functions for kernels with 8-byte numbers:
//
//   as_double(bits) as_wide_bits(number)    doubles and their bits
//   wide_pair                               two words of 64 bits that are read together
//   load_readonly(address)                  loads a wide_pair in one access
//   load_of_block(address)                  loads 64 bits, like its 32-bit version in block_owned.cuh
#pragma once

#include "simt/block_owned.cuh"
#include "simt/simt.cuh"

namespace simt {

struct alignas(16) wide_pair {
  u64 x, y;
};

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)

SIMT_DEVICE double as_double(u64 bits) { return __longlong_as_double(static_cast<long long>(bits)); }
SIMT_DEVICE u64 as_wide_bits(double number) { return static_cast<u64>(__double_as_longlong(number)); }

SIMT_DEVICE wide_pair load_readonly(const wide_pair* address) {
  const ulonglong2 words = __ldg(reinterpret_cast<const ulonglong2*>(address));
  return {words.x, words.y};
}

SIMT_DEVICE u64 load_of_block(const u64* address) {
  u64 value;
  asm volatile("ld.relaxed.cta.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

#else

SIMT_DEVICE double as_double(u64 bits) { return __builtin_bit_cast(double, bits); }
SIMT_DEVICE u64 as_wide_bits(double number) { return __builtin_bit_cast(u64, number); }

SIMT_DEVICE u64 load_of_block(const u64* address, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
  return load_atomic<order::relaxed, scope::device>(address, file, line);
}

#endif

}  // namespace simt
