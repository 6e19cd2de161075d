// SPDX-License-Identifier: Apache-2.0
// B = transpose of A, through a tile in shared memory whose rows are `padding` elements longer.
__global__ void transpose(float* B, const float* A, int width, int height) {
  __shared__ float part[tile][tile + padding];
  for (int r = threadIdx.y; r < tile; r += rows) {
    const int x = blockIdx.x * tile + threadIdx.x;
    const int y = blockIdx.y * tile + r;
    if (x < width && y < height) part[r][threadIdx.x] = A[y * width + x];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < tile; r += rows) {
    const int x = blockIdx.y * tile + threadIdx.x;
    const int y = blockIdx.x * tile + r;
    if (x < height && y < width) B[y * height + x] = part[threadIdx.x][r];
  }
}

__global__ void transpose_reference(float* B, const float* A, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width * height) B[(i % width) * height + i / width] = A[i];
}
