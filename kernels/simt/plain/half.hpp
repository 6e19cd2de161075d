// SPDX-License-Identifier: Apache-2.0
// half and half2 by conversion: each operation is computed in float and rounded to the nearest half.
#pragma once

#include "simt/plain/math.hpp"

struct __half;
namespace mlmq_cuda {

inline float half_bits_to_float(unsigned short bits) {
  const unsigned sign = (bits & 0x8000u) << 16;
  const unsigned exponent = bits >> 10 & 31u;
  const unsigned fraction = bits & 1023u;
  if (exponent == 31) return mlmq_bits_as<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent != 0) return mlmq_bits_as<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

inline unsigned short float_to_half_bits(float value) {
  const unsigned bits = mlmq_bits_as<unsigned>(value);
  const unsigned sign = bits >> 16 & 0x8000u;
  const unsigned magnitude = bits & 0x7FFFFFFFu;
  unsigned result = 0;
  if (magnitude > 0x7F800000u) {
    result = 0x7FFFu;
  } else if (magnitude >= 0x477FF000u) {  // rounds to more than the largest half
    result = 0x7C00u;
  } else if (magnitude >= 0x38800000u) {
    result = (magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1u)) >> 13;
  } else {
    // Multiples of 2^-24; rintf rounds ties to even.
    result = static_cast<unsigned>(::rintf(mlmq_bits_as<float>(magnitude) * 0x1p24f));
  }
  return static_cast<unsigned short>(sign | result);
}

}  // namespace mlmq_cuda

struct __half_raw {
  unsigned short x;
};

struct __align__(2) __half {
  unsigned short bits;
  __half() = default;
  __half(const __half_raw& raw) : bits(raw.x) {}
  template <class T>
  requires(std::is_arithmetic_v<T>) __half(T value) : bits(mlmq_cuda::float_to_half_bits(static_cast<float>(value))) {}
  operator float() const { return mlmq_cuda::half_bits_to_float(bits); }
  __half& operator+=(__half other);
  __half& operator-=(__half other);
  __half& operator*=(__half other);
  __half& operator/=(__half other);
};
using half = __half;

inline __half __float2half(float value) { return value; }
inline __half __float2half_rn(float value) { return value; }
inline __half __double2half(double value) { return value; }
inline __half __int2half_rn(int value) { return value; }
inline float __half2float(__half value) { return value; }
inline int __half2int_rn(__half value) { return static_cast<int>(::rintf(value)); }
inline __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
inline unsigned short __half_as_ushort(__half value) { return value.bits; }

#define MLMQ_HALF_OPERATION(name, symbol)                                                               \
  inline __half name(__half a, __half b) { return static_cast<float>(a) symbol static_cast<float>(b); } \
  inline __half operator symbol(__half a, __half b) { return name(a, b); }                              \
  inline __half& __half::operator symbol##=(__half other) { return *this = name(*this, other); }
MLMQ_HALF_OPERATION(__hadd, +)
MLMQ_HALF_OPERATION(__hsub, -)
MLMQ_HALF_OPERATION(__hmul, *)
MLMQ_HALF_OPERATION(__hdiv, /)
#undef MLMQ_HALF_OPERATION
inline __half operator-(__half a) { return -static_cast<float>(a); }
inline __half __hneg(__half a) { return -a; }
inline __half __habs(__half a) { return ::fabsf(a); }
inline __half __hfma(__half a, __half b, __half c) { return ::fmaf(a, b, c); }
inline __half __hmin(__half a, __half b) { return ::fminf(a, b); }
inline __half __hmax(__half a, __half b) { return ::fmaxf(a, b); }
inline __half hexp(__half a) { return ::expf(a); }
inline __half hlog(__half a) { return ::logf(a); }
inline __half hsqrt(__half a) { return ::sqrtf(a); }
inline __half hrsqrt(__half a) { return 1.0f / ::sqrtf(a); }
inline __half hrcp(__half a) { return 1.0f / static_cast<float>(a); }
#define MLMQ_HALF_COMPARISON(name, symbol)                                                            \
  inline bool name(__half a, __half b) { return static_cast<float>(a) symbol static_cast<float>(b); } \
  inline bool operator symbol(__half a, __half b) { return name(a, b); }
MLMQ_HALF_COMPARISON(__heq, ==)
MLMQ_HALF_COMPARISON(__hne, !=)
MLMQ_HALF_COMPARISON(__hlt, <)
MLMQ_HALF_COMPARISON(__hle, <=)
MLMQ_HALF_COMPARISON(__hgt, >)
MLMQ_HALF_COMPARISON(__hge, >=)
#undef MLMQ_HALF_COMPARISON

struct __align__(4) __half2 {
  __half x, y;
};
using half2 = __half2;

inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __float2half2_rn(float a) { return {a, a}; }
inline __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
inline __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline float __low2float(__half2 a) { return a.x; }
inline float __high2float(__half2 a) { return a.y; }
#define MLMQ_HALF2_OPERATION(name, one, symbol)                                        \
  inline __half2 name(__half2 a, __half2 b) { return {one(a.x, b.x), one(a.y, b.y)}; } \
  inline __half2 operator symbol(__half2 a, __half2 b) { return name(a, b); }
MLMQ_HALF2_OPERATION(__hadd2, __hadd, +)
MLMQ_HALF2_OPERATION(__hsub2, __hsub, -)
MLMQ_HALF2_OPERATION(__hmul2, __hmul, *)
MLMQ_HALF2_OPERATION(__h2div, __hdiv, /)
#undef MLMQ_HALF2_OPERATION
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
