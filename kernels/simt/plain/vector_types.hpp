// SPDX-License-Identifier: Apache-2.0
// CUDA's vector types, with its alignments.
#pragma once

#include "simt/plain/instrumentation.hpp"

#define MLMQ_VECTORS(T, name, align2, align4)                        \
  struct name##1 {                                                   \
    T x;                                                             \
  };                                                                 \
  struct __align__(align2) name##2 {                                 \
    T x, y;                                                          \
  };                                                                 \
  struct name##3 {                                                   \
    T x, y, z;                                                       \
  };                                                                 \
  struct __align__(align4) name##4 {                                 \
    T x, y, z, w;                                                    \
  };                                                                 \
  inline name##1 make_##name##1(T x) { return {x}; }                 \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

MLMQ_VECTORS(signed char, char, 2, 4)
MLMQ_VECTORS(unsigned char, uchar, 2, 4)
MLMQ_VECTORS(short, short, 4, 8)
MLMQ_VECTORS(unsigned short, ushort, 4, 8)
MLMQ_VECTORS(int, int, 8, 16)
MLMQ_VECTORS(unsigned int, uint, 8, 16)
MLMQ_VECTORS(long, long, 16, 16)
MLMQ_VECTORS(unsigned long, ulong, 16, 16)
MLMQ_VECTORS(long long, longlong, 16, 16)
MLMQ_VECTORS(unsigned long long, ulonglong, 16, 16)
MLMQ_VECTORS(float, float, 8, 16)
MLMQ_VECTORS(double, double, 16, 16)
#undef MLMQ_VECTORS

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int first = 1, unsigned int second = 1, unsigned int third = 1)
      : x(first), y(second), z(third) {}
  constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

namespace mlmq_cuda {
inline uint3 to_uint3(const simt::simulator::position& p) { return {p.x, p.y, p.z}; }
inline dim3 to_dim3(const simt::simulator::position& p) { return {p.x, p.y, p.z}; }
}  // namespace mlmq_cuda
inline uint3 mlmq_thread_index() { return mlmq_cuda::to_uint3(mlmq_cuda::self()->thread); }
inline uint3 mlmq_block_index() { return mlmq_cuda::to_uint3(mlmq_cuda::self()->block_position); }
inline dim3 mlmq_block_size() { return mlmq_cuda::to_dim3(mlmq_cuda::self()->block_size); }
inline dim3 mlmq_grid_size() { return mlmq_cuda::to_dim3(mlmq_cuda::self()->grid_size); }

#define threadIdx (::mlmq_thread_index())
#define blockIdx (::mlmq_block_index())
#define blockDim (::mlmq_block_size())
#define gridDim (::mlmq_grid_size())
#define warpSize 32
