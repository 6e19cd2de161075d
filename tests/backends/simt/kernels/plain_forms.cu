// Declarations in the forms that programs use.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#ifndef STRIDE
#define STRIDE 1
#endif

using u64 = std::uint64_t;
extern __shared__ unsigned char pool[];
static __device__ int counter;
static __constant__ float offsets[4] = {1, 2, 3, 4};

__device__ __forceinline__ float square(float x) { return x * x; }

__device__ float block_sum(float v) {
  static __shared__ float parts[32];
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.f;
  if (threadIdx.x < 32) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(256)
    scale(float* __restrict__ y, const float* __restrict__ x, float a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned place = (i * STRIDE) % n + (i * STRIDE) / n;
  if (i < n) y[place] = fmaf(a, x[place], offsets[i & 3]);
}

template <int N>
static __global__ void norm(const float4* v, float* out) {
  const float4 t = __ldg(v + threadIdx.x);
  float* s = reinterpret_cast<float*>(pool);
  s[threadIdx.x] = square(t.x) + square(t.y) + t.z * t.w + rsqrtf(4.f) + __expf(0.f);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (threadIdx.x == i) printf("%d\n", i);
  }
  const float r = block_sum(s[threadIdx.x]);
  if (threadIdx.x == 0) {
    *out = r;
    atomicAdd(&counter, 1);
  }
}
