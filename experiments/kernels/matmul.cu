// SPDX-License-Identifier: Apache-2.0
// C = A * B for square matrices of n rows. A block computes a tile of C from tiles in shared memory; each thread
// computes `rows` elements of one column.
__global__ void matmul(float* C, const float* A, const float* B, int n) {
  __shared__ float tile_a[tile][tile];
  __shared__ float tile_b[tile][tile];
  const int column = blockIdx.x * tile + threadIdx.x;
  const int first_row = blockIdx.y * tile;
  float sums[rows] = {};
  for (int k = 0; k < n; k += tile) {
    for (int r = threadIdx.y; r < tile; r += tile / rows) {
      tile_a[r][threadIdx.x] = A[(first_row + r) * n + k + threadIdx.x];
      tile_b[r][threadIdx.x] = B[(k + r) * n + column];
    }
    __syncthreads();
    for (int i = 0; i < tile; ++i) {
      const float b = tile_b[i][threadIdx.x];
      for (int r = 0; r < rows; ++r) sums[r] += tile_a[threadIdx.y + r * (tile / rows)][i] * b;
    }
    __syncthreads();
  }
  for (int r = 0; r < rows; ++r) C[(first_row + threadIdx.y + r * (tile / rows)) * n + column] = sums[r];
}

__global__ void matmul_reference(float* C, const float* A, const float* B, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<double>(A[row * n + i]) * B[i * n + column];
  C[row * n + column] = sum;
}
