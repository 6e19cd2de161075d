// Kernels in plain CUDA C++: one per feature of the simulator.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

#ifndef FIXED
#define FIXED 1
#endif

namespace cg = cooperative_groups;

__global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

template <class T, int threads>
__global__ void reduce_static(const T* values, T* sums, int n) {
  __shared__ T parts[threads / 32];
  const int i = blockIdx.x * threads + threadIdx.x;
  T sum = i < n ? values[i] : T(0);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
#if FIXED
  __syncthreads();
#endif
  if (threadIdx.x == 0) {
    T total = 0;
    for (int w = 0; w < threads / 32; ++w) total += parts[w];  // [missing_barrier]
    sums[blockIdx.x] = total;
  }
}

template <class T>
__global__ void reduce_dynamic(const T* __restrict__ values, T* __restrict__ sums, int n) {
  extern __shared__ __align__(16) float tile[];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < static_cast<unsigned>(n) ? values[i] : T(0);
  __syncthreads();
  for (unsigned half_size = blockDim.x / 2; half_size > 0; half_size /= 2) {
    if (threadIdx.x < half_size) tile[threadIdx.x] += tile[threadIdx.x + half_size];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}

__constant__ float weights[9];
__device__ int cells_done;

__global__ void convolve(const float* image, float* result, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int column = min(max(x + dx, 0), width - 1);
      const int row = min(max(y + dy, 0), height - 1);
      sum += weights[(dy + 1) * 3 + dx + 1] * image[row * width + column];
    }
  }
  result[y * width + x] = sum;
  atomicAdd(&cells_done, 1);
}

constexpr int tile_size = 16;

__global__ void transpose(const float* matrix, float* result, int n) {
  __shared__ float tile[tile_size][tile_size + 1];
  int x = blockIdx.x * tile_size + threadIdx.x;
  int y = blockIdx.y * tile_size + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = matrix[y * n + x];
  __syncthreads();
  x = blockIdx.y * tile_size + threadIdx.x;
  y = blockIdx.x * tile_size + threadIdx.y;
  if (x < n && y < n) result[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  __shared__ unsigned local[256];
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(n); i += gridDim.x * blockDim.x) {
    atomicAdd(&local[bytes[i]], 1u);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    if (local[bin] != 0) atomicAdd(counts + bin, local[bin]);
  }
}

__global__ void read_beyond(const float* values, float* result, int n) {
  result[threadIdx.x] = values[threadIdx.x + (threadIdx.x == 7 ? n : 0)];  // [read_beyond]
}

__global__ void write_beyond(const float* values, float* result, int n) {
  result[threadIdx.x + (threadIdx.x == 7 ? n : 0)] = values[threadIdx.x];  // [write_beyond]
}

__global__ void write_beyond_shared(float* result) {
  __shared__ float few[8];
  few[threadIdx.x] = 1;  // [write_beyond_shared]
  __syncthreads();
  result[threadIdx.x] = few[threadIdx.x];
}

__global__ void read_beyond_dynamic(float* result) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = 1;
  __syncthreads();
  result[threadIdx.x] = tile[threadIdx.x + 1];  // [read_beyond_dynamic]
}

__global__ void read_unwritten_shared(float* result) {
  __shared__ float parts[64];
  result[threadIdx.x] = parts[threadIdx.x];  // [read_unwritten_shared]
}

__global__ void misalign(float* values) {
  float4* const group = reinterpret_cast<float4*>(values + 1);
  if (threadIdx.x == 0) *group = make_float4(1, 2, 3, 4);  // [misalign]
}

// Blocks write the same word.
__global__ void write_in_all_blocks(int* word) {
  if (threadIdx.x == 0) *word = 1;  // [write_in_all_blocks]
}

// The last block adds the sums of all blocks.
__device__ unsigned blocks_done = 0;
__global__ void add_blocks(volatile int* sums, int* total) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = blockIdx.x;
#if FIXED
    __threadfence();
#endif
    is_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += ((const int*)sums)[b];
    *total = sum;
    blocks_done = 0;
  }
}

// Every block reads what the next one wrote before the barrier of the grid.
__global__ void rotate_blocks(int* values, int* result) {
  __shared__ int mine[64];
  mine[threadIdx.x] = blockIdx.x;
  values[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
#if FIXED
  cg::this_grid().sync();
#endif
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  result[blockIdx.x * blockDim.x + threadIdx.x] =
      values[next * blockDim.x + threadIdx.x] * 1000 + mine[threadIdx.x];  // [no_grid_barrier]
}

// Sums of tiles of eight lanes, also in a block whose last warp is not complete.
__global__ void sum_tiles(const int* values, int* sums, int* votes) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  int sum = values[block.thread_rank()];
  for (int offset = 4; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
  if (tile.thread_rank() == 0) sums[block.thread_rank() / 8] = sum;
  const unsigned ballot = __ballot_sync(0xFFFFFFFFu, threadIdx.x % 2);
  const int count = __syncthreads_count(threadIdx.x % 4 == 0);
  votes[threadIdx.x] = __popc(ballot) * 100 + count;
}

__global__ void shuffle_apart(int* result) {
  if (threadIdx.x < 16) {
    result[threadIdx.x] = __shfl_sync(0xFFFFFFFFu, 1, 0);  // [shuffle_apart]
  } else {
    result[threadIdx.x] = __shfl_sync(0xFFFFFFFFu, 2, 0);  // [shuffle_apart_too]
  }
}

__global__ void scale_halves(const __half* values, __half2* pairs, int n) {
  const int i = threadIdx.x;
  if (2 * i + 1 < n) {
    const __half2 pair = __halves2half2(values[2 * i], values[2 * i + 1]);
    pairs[i] = __hmul2(pair, __float2half2_rn(0.5f));
  }
}

__global__ void use_atomics(int* words, float* real, unsigned long long* wide) {
  atomicMax(words, static_cast<int>(threadIdx.x) - 100);
  atomicMin(words + 1, -static_cast<int>(threadIdx.x));
  atomicSub(words + 2, 2);
  atomicXor(words + 3, 1 << (threadIdx.x % 31));
  atomicAdd(real, 0.5f);
  atomicAdd(wide, 1ull << 33);
  for (int seen = 0;;) {
    const int old = atomicCAS(words + 4, seen, seen + 1);
    if (old == seen) break;
    seen = old;
  }
}

__global__ void spin(volatile int* flag) {
  while (*flag == 0) continue;  // [spin]
}

// The state stays even, and the target is odd.
__global__ void spin_without_memory(const int* target) {
  const unsigned end = static_cast<unsigned>(*target);
  unsigned state = threadIdx.x * 2;
  while (state != end) state = state * 5u + 4u;
}

struct pair {
  double first;
  int second;
};
__global__ void take_struct(pair p, int* result) {
  if (threadIdx.x == 0) result[0] = static_cast<int>(p.first) + p.second;
}
