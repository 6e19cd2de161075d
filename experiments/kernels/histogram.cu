// SPDX-License-Identifier: Apache-2.0
// Counts bytes by value. Each block counts in `copies` histograms in shared memory, or directly in global memory.
__global__ void histogram(unsigned* counts, const unsigned char* data, int n) {
#if copies > 0
  __shared__ unsigned local_counts[copies][256];
  for (int i = threadIdx.x; i < copies * 256; i += threads) local_counts[i / 256][i % 256] = 0;
  __syncthreads();
#endif
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
#if copies > 0
    atomicAdd(&local_counts[threadIdx.x % copies][data[i]], 1u);
#else
    atomicAdd(&counts[data[i]], 1u);
#endif
  }
#if copies > 0
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += threads) {
    unsigned sum = 0;
    for (int copy = 0; copy < copies; ++copy) sum += local_counts[copy][i];
    if (sum > 0) atomicAdd(&counts[i], sum);
  }
#endif
}
