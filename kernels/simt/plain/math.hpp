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

inline float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
inline float rsqrt(float x) { return 1.0f / ::sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
inline float rcbrtf(float x) { return 1.0f / ::cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / ::cbrt(x); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline void sincospif(float x, float* s, float* c) { ::sincosf(x * 3.14159265358979323846f, s, c); }
inline float sinpif(float x) { return ::sinf(x * 3.14159265358979323846f); }
inline float cospif(float x) { return ::cosf(x * 3.14159265358979323846f); }
inline double sinpi(double x) { return ::sin(x * 3.14159265358979323846); }
inline double cospi(double x) { return ::cos(x * 3.14159265358979323846); }
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
inline float norm3df(float x, float y, float z) { return ::sqrtf(x * x + y * y + z * z); }
inline double norm3d(double x, double y, double z) { return ::sqrt(x * x + y * y + z * z); }
inline float rhypotf(float x, float y) { return 1.0f / ::hypotf(x, y); }
inline double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
inline float normcdff(float x) { return 0.5f * ::erfcf(-x * 0.70710678118654752440f); }
inline double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }

// The C library declares some of these names itself.
inline float mlmq_expf(float x) { return ::expf(x); }
inline float mlmq_exp10f(float x) { return ::powf(10.0f, x); }
inline float mlmq_logf(float x) { return ::logf(x); }
inline float mlmq_log2f(float x) { return ::log2f(x); }
inline float mlmq_log10f(float x) { return ::log10f(x); }
inline float mlmq_sinf(float x) { return ::sinf(x); }
inline float mlmq_cosf(float x) { return ::cosf(x); }
inline float mlmq_tanf(float x) { return ::tanf(x); }
inline float mlmq_powf(float x, float y) { return ::powf(x, y); }
inline void mlmq_sincosf(float x, float* s, float* c) { *s = ::sinf(x), *c = ::cosf(x); }
#define __expf mlmq_expf
#define __exp10f mlmq_exp10f
#define __logf mlmq_logf
#define __log2f mlmq_log2f
#define __log10f mlmq_log10f
#define __sinf mlmq_sinf
#define __cosf mlmq_cosf
#define __tanf mlmq_tanf
#define __powf mlmq_powf
#define __sincosf mlmq_sincosf

// Operations rounded to the nearest number. Those with another rounding are not supported.
#define MLMQ_ROUNDED(mode)                                                          \
  inline float __fadd_##mode(float x, float y) { return x + y; }                    \
  inline float __fsub_##mode(float x, float y) { return x - y; }                    \
  inline float __fmul_##mode(float x, float y) { return x * y; }                    \
  inline float __fdiv_##mode(float x, float y) { return x / y; }                    \
  inline float __frcp_##mode(float x) { return 1.0f / x; }                          \
  inline float __fsqrt_##mode(float x) { return ::sqrtf(x); }                       \
  inline float __fmaf_##mode(float x, float y, float z) { return ::fmaf(x, y, z); } \
  inline double __dadd_##mode(double x, double y) { return x + y; }                 \
  inline double __dsub_##mode(double x, double y) { return x - y; }                 \
  inline double __dmul_##mode(double x, double y) { return x * y; }                 \
  inline double __ddiv_##mode(double x, double y) { return x / y; }                 \
  inline double __drcp_##mode(double x) { return 1.0 / x; }                         \
  inline double __dsqrt_##mode(double x) { return ::sqrt(x); }                      \
  inline double __fma_##mode(double x, double y, double z) { return ::fma(x, y, z); }
MLMQ_ROUNDED(rn)
#undef MLMQ_ROUNDED
inline float __frsqrt_rn(float x) { return 1.0f / ::sqrtf(x); }

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
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
/// Returns the position of the bit that is the offset-th set bit from `base`, upwards or (offset < 0) downwards.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  int position = static_cast<int>(base);
  int remaining = offset < 0 ? -offset : offset;
  if (offset == 0) return (mask >> base & 1u) != 0 ? base : 0xFFFFFFFFu;
  for (; position >= 0 && position < 32; position += offset < 0 ? -1 : 1) {
    if ((mask >> position & 1u) != 0 && --remaining == 0) return static_cast<unsigned>(position);
  }
  return 0xFFFFFFFFu;
}

// Operations on the bytes or halves of a word.
namespace mlmq_cuda {
template <class Lane, class Operation>
inline unsigned each_lane(unsigned a, unsigned b, Operation operation) {
  unsigned result = 0;
  for (unsigned i = 0; i < 4 / sizeof(Lane); ++i) {
    const unsigned shift = 8 * sizeof(Lane) * i;
    const auto lane = static_cast<std::make_unsigned_t<Lane>>(
        operation(static_cast<Lane>(a >> shift), static_cast<Lane>(b >> shift)));
    result |= static_cast<unsigned>(lane) << shift;
  }
  return result;
}
template <class Lane>
inline int dot(unsigned a, unsigned b, int sum) {
  for (unsigned i = 0; i < 4; ++i) sum += static_cast<Lane>(a >> 8 * i) * static_cast<Lane>(b >> 8 * i);
  return sum;
}
}  // namespace mlmq_cuda
#define MLMQ_LANES(bytes, whole, natural)                                                           \
  inline unsigned __vadd##bytes(unsigned a, unsigned b) {                                           \
    return mlmq_cuda::each_lane<natural>(a, b, [](int x, int y) { return x + y; });                 \
  }                                                                                                 \
  inline unsigned __vsub##bytes(unsigned a, unsigned b) {                                           \
    return mlmq_cuda::each_lane<natural>(a, b, [](int x, int y) { return x - y; });                 \
  }                                                                                                 \
  inline unsigned __vmaxs##bytes(unsigned a, unsigned b) {                                          \
    return mlmq_cuda::each_lane<whole>(a, b, [](int x, int y) { return x > y ? x : y; });           \
  }                                                                                                 \
  inline unsigned __vmins##bytes(unsigned a, unsigned b) {                                          \
    return mlmq_cuda::each_lane<whole>(a, b, [](int x, int y) { return x < y ? x : y; });           \
  }                                                                                                 \
  inline unsigned __vmaxu##bytes(unsigned a, unsigned b) {                                          \
    return mlmq_cuda::each_lane<natural>(a, b, [](int x, int y) { return x > y ? x : y; });         \
  }                                                                                                 \
  inline unsigned __vminu##bytes(unsigned a, unsigned b) {                                          \
    return mlmq_cuda::each_lane<natural>(a, b, [](int x, int y) { return x < y ? x : y; });         \
  }                                                                                                 \
  inline unsigned __vabsdiffu##bytes(unsigned a, unsigned b) {                                      \
    return mlmq_cuda::each_lane<natural>(a, b, [](int x, int y) { return x > y ? x - y : y - x; }); \
  }                                                                                                 \
  inline unsigned __vavgu##bytes(unsigned a, unsigned b) {                                          \
    return mlmq_cuda::each_lane<natural>(a, b, [](int x, int y) { return (x + y + 1) / 2; });       \
  }                                                                                                 \
  inline unsigned __vcmpeq##bytes(unsigned a, unsigned b) {                                         \
    return mlmq_cuda::each_lane<natural>(a, b, [](int x, int y) { return x == y ? -1 : 0; });       \
  }
MLMQ_LANES(4, signed char, unsigned char)
MLMQ_LANES(2, short, unsigned short)
#undef MLMQ_LANES
inline int __dp4a(int a, int b, int c) {
  return mlmq_cuda::dot<signed char>(static_cast<unsigned>(a), static_cast<unsigned>(b), c);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return static_cast<unsigned>(mlmq_cuda::dot<unsigned char>(a, b, static_cast<int>(c)));
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
#define MLMQ_CONVERSIONS(mode, rounded)                                                                 \
  inline int __float2int_##mode(float value) { return static_cast<int>(rounded##f(value)); }            \
  inline unsigned __float2uint_##mode(float value) { return static_cast<unsigned>(rounded##f(value)); } \
  inline long long __float2ll_##mode(float value) { return static_cast<long long>(rounded##f(value)); } \
  inline unsigned long long __float2ull_##mode(float value) {                                           \
    return static_cast<unsigned long long>(rounded##f(value));                                          \
  }                                                                                                     \
  inline int __double2int_##mode(double value) { return static_cast<int>(rounded(value)); }             \
  inline unsigned __double2uint_##mode(double value) { return static_cast<unsigned>(rounded(value)); }  \
  inline long long __double2ll_##mode(double value) { return static_cast<long long>(rounded(value)); }  \
  inline unsigned long long __double2ull_##mode(double value) {                                         \
    return static_cast<unsigned long long>(rounded(value));                                             \
  }
MLMQ_CONVERSIONS(rn, ::rint)
MLMQ_CONVERSIONS(rz, ::trunc)
MLMQ_CONVERSIONS(rd, ::floor)
MLMQ_CONVERSIONS(ru, ::ceil)
#undef MLMQ_CONVERSIONS
inline float __int2float_rn(int value) { return static_cast<float>(value); }
inline float __uint2float_rn(unsigned value) { return static_cast<float>(value); }
inline float __ll2float_rn(long long value) { return static_cast<float>(value); }
inline float __ull2float_rn(unsigned long long value) { return static_cast<float>(value); }
inline double __int2double_rn(int value) { return value; }
inline double __uint2double_rn(unsigned value) { return value; }
inline double __ll2double_rn(long long value) { return static_cast<double>(value); }
inline double __ull2double_rn(unsigned long long value) { return static_cast<double>(value); }
inline float __double2float_rn(double value) { return static_cast<float>(value); }
inline int __double2hiint(double value) { return static_cast<int>(mlmq_bits_as<long long>(value) >> 32); }
inline int __double2loint(double value) { return static_cast<int>(mlmq_bits_as<long long>(value)); }
inline double __hiloint2double(int high, int low) {
  return mlmq_bits_as<double>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                              static_cast<unsigned>(low));
}

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI_F 3.141592654f
#define CUDART_INF __builtin_inf()
#define CUDART_PI 3.1415926535897931e+0
