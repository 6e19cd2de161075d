// SPDX-License-Identifier: Apache-2.0
// The sum of a vector in two launches: each block adds a part, and one block adds the sums of the blocks.
template <typename T, int block_threads>
__device__ T block_sum(T value) {
  __shared__ T sums[block_threads / 32];
  for (int apart = 16; apart > 0; apart /= 2) value += __shfl_down_sync(0xffffffff, value, apart);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  T total = 0;
  for (int warp = 0; warp < block_threads / 32; ++warp) total += sums[warp];
  return total;
}

template <typename T, int block_threads>
__global__ void add_parts(T* parts, const T* values, int n) {
  T sum = 0;
  for (int i = blockIdx.x * block_threads + threadIdx.x; i < n; i += gridDim.x * block_threads) sum += values[i];
  sum = block_sum<T, block_threads>(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

template <typename T, int block_threads>
__global__ void add_up(T* total, const T* parts, int count) {
  T sum = 0;
  for (int i = threadIdx.x; i < count; i += block_threads) sum += parts[i];
  sum = block_sum<T, block_threads>(sum);
  if (threadIdx.x == 0) *total = sum;
}

template <typename T>
__global__ void add_in_order(T* total, const T* values, int n) {
  double sum = 0;  // a float would lose the small numbers of a long vector
  for (int i = 0; i < n; ++i) sum += values[i];
  *total = sum;
}
