// SPDX-License-Identifier: Apache-2.0
// Mathematical functions that CUDA has and the C library has not, or has under other names. Approximate functions are
// computed exactly.
#pragma once

#include <type_traits>

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using type = std::common_type_t<A, B>;
  return static_cast<type>(b) < static_cast<type>(a) ? static_cast<type>(b) : static_cast<type>(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using type = std::common_type_t<A, B>;
  return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(b) : static_cast<type>(a);
}

namespace mlmq_cuda {
inline float rsqrt_of(float x) { return 1.0f / ::sqrtf(x); }
inline double rsqrt_of(double x) { return 1.0 / ::sqrt(x); }
inline float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
}  // namespace mlmq_cuda

// The C library declares some of these names itself.
#define rsqrtf(x) (::mlmq_cuda::rsqrt_of(static_cast<float>(x)))
#define rsqrt(x) (::mlmq_cuda::rsqrt_of(x))
#define __frsqrt_rn(x) (::mlmq_cuda::rsqrt_of(static_cast<float>(x)))
#define __saturatef(x) (::mlmq_cuda::saturate(x))
#define __expf(x) (::expf(x))
#define __exp10f(x) (::powf(10.0f, x))
#define __logf(x) (::logf(x))
#define __log2f(x) (::log2f(x))
#define __log10f(x) (::log10f(x))
#define __sinf(x) (::sinf(x))
#define __cosf(x) (::cosf(x))
#define __tanf(x) (::tanf(x))
#define __powf(x, y) (::powf(x, y))
#define __sincosf(x, s, c) (*(s) = ::sinf(x), *(c) = ::cosf(x))
#define __fdividef(x, y) (static_cast<float>(x) / static_cast<float>(y))
#define __fadd_rn(x, y) (static_cast<float>(x) + static_cast<float>(y))
#define __fsub_rn(x, y) (static_cast<float>(x) - static_cast<float>(y))
#define __fmul_rn(x, y) (static_cast<float>(x) * static_cast<float>(y))
#define __fdiv_rn(x, y) (static_cast<float>(x) / static_cast<float>(y))
#define __frcp_rn(x) (1.0f / static_cast<float>(x))
#define __fsqrt_rn(x) (::sqrtf(x))
#define __fmaf_rn(x, y, z) (::fmaf(x, y, z))
#define __dadd_rn(x, y) (static_cast<double>(x) + static_cast<double>(y))
#define __dmul_rn(x, y) (static_cast<double>(x) * static_cast<double>(y))
#define __fma_rn(x, y, z) (::fma(x, y, z))

inline int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }
inline int __clzll(long long bits) { return bits == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(bits)); }
inline unsigned __brev(unsigned bits) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) result |= (bits >> i & 1u) << (31 - i);
  return result;
}
inline unsigned long long __brevll(unsigned long long bits) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(bits))) << 32 |
         __brev(static_cast<unsigned>(bits >> 32));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selectors) {
  const unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    result |= static_cast<unsigned>(bytes >> (selectors >> 4 * i & 7) * 8 & 0xFF) << 8 * i;
  }
  return result;
}
inline unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                    : static_cast<unsigned>(b) - static_cast<unsigned>(a));
}

template <class To, class From>
inline To mlmq_bits_as(From value) {
  return __builtin_bit_cast(To, value);
}
inline float __int_as_float(int bits) { return mlmq_bits_as<float>(bits); }
inline float __uint_as_float(unsigned bits) { return mlmq_bits_as<float>(bits); }
inline int __float_as_int(float value) { return mlmq_bits_as<int>(value); }
inline unsigned __float_as_uint(float value) { return mlmq_bits_as<unsigned>(value); }
inline double __longlong_as_double(long long bits) { return mlmq_bits_as<double>(bits); }
inline long long __double_as_longlong(double value) { return mlmq_bits_as<long long>(value); }
inline int __float2int_rn(float value) { return static_cast<int>(::rintf(value)); }
inline int __float2int_rz(float value) { return static_cast<int>(value); }
inline int __float2int_rd(float value) { return static_cast<int>(::floorf(value)); }
inline int __float2int_ru(float value) { return static_cast<int>(::ceilf(value)); }
inline unsigned __float2uint_rn(float value) { return static_cast<unsigned>(::rintf(value)); }
inline unsigned __float2uint_rz(float value) { return static_cast<unsigned>(value); }
inline float __int2float_rn(int value) { return static_cast<float>(value); }
inline float __uint2float_rn(unsigned value) { return static_cast<float>(value); }
inline float __double2float_rn(double value) { return static_cast<float>(value); }

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI_F 3.141592654f
#define CUDART_INF __builtin_inf()
#define CUDART_PI 3.1415926535897931e+0
